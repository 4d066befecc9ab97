/** One line of a diff, in an audit entry as in a draft. */
export interface ShownChange {
  /** The environment's name; null for what belongs to the whole thing. */
  readonly environment: string | null;
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Of a long list: `before` and `after` have only what went and what came, and these count the items beyond them. */
  readonly cut?: { readonly before: number; readonly after: number } | null;
}

/** What a list has gained and lost. */
interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Beyond those. */
  readonly addedMore: number;
  readonly removedMore: number;
}

const fieldWords = new Map([
  ['enabled', 'Switch'],
  ['trafficPercentage', 'Rollout'],
  ['cohorts', 'Cohorts'],
  ['cohortOverride', 'Own cohorts'],
  ['audienceId', 'Audience'],
  ['name', 'Name'],
  ['description', 'Description'],
  ['tags', 'Tags'],
  ['rules', 'Rules'],
  ['evaluationAccess', 'Evaluation API access'],
  ['isProtected', 'Protected'],
  ['role', 'Role'],
  ['permission', 'Permission'],
  ['environments', 'Environments'],
  ['expiresAt', 'Expires'],
  ['replaces', 'Replaces token'],
  ['plan', 'Plan'],
  ['email', 'Email'],
  ['openIdAccount', 'OpenID account'],
]);

/** Fields of a group flag's environment come as `environments.<name>.<field>` where an entry covers several. */
export function splitField(change: ShownChange): ShownChange {
  const found = /^environments\.(.+)\.(\w+)$/.exec(change.field);
  if (found === null) return ownCohorts(change);
  return ownCohorts({ ...change, environment: found[1] ?? null, field: found[2] ?? change.field });
}

/** An environment's cohorts are its own list, which the audit log keeps as an empty one where it inherits. */
function ownCohorts(change: ShownChange): ShownChange {
  if (change.environment === null || change.field !== 'cohorts') return change;
  const [before, after] = [change.before, change.after].map((list) =>
    Array.isArray(list) && list.length === 0 ? null : list,
  );
  return { ...change, field: 'cohortOverride', before, after };
}

export function fieldWord(field: string): string {
  return fieldWords.get(field) ?? field;
}

/** A value in the words of the page; lists are shown item by item elsewhere. */
export function valueWords(field: string, value: unknown, audienceName: (id: string) => string): string {
  if (field === 'enabled') return value === true ? 'On' : 'Off';
  if (field === 'evaluationAccess') return value === true ? 'On' : 'Off';
  if (field === 'trafficPercentage') return `${String(value)}%`;
  if (field === 'audienceId') return typeof value === 'string' ? audienceName(value) : 'Everyone';
  if (field === 'expiresAt')
    return value === 0 ? 'Never' : new Date(Number(value)).toISOString().slice(0, 10);
  if (field === 'permission') return value === 'write' ? 'read and write' : 'read';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @returns null when the value is no list of texts, or lacks on both sides. */
export function listChange({
  before,
  after,
  cut = null,
}: Pick<ShownChange, 'before' | 'after' | 'cut'>): ListChange | null {
  const left = itemsOf(before);
  const right = itemsOf(after);
  if (left === null || right === null || (before === null && after === null)) return null;
  if (!Array.isArray(before) && !Array.isArray(after)) return null;
  if (cut !== null) return { added: right, removed: left, addedMore: cut.after, removedMore: cut.before };
  const [had, has] = [new Set(left), new Set(right)];
  const added = right.filter((item) => !had.has(item));
  return { added, removed: left.filter((item) => !has.has(item)), addedMore: 0, removedMore: 0 };
}

function itemsOf(value: unknown): readonly string[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return null;
  return value.map((item) => (typeof item === 'string' ? item : ruleWords(item)));
}

/** An audience's rule in one line. */
function ruleWords(rule: unknown): string {
  if (typeof rule !== 'object' || rule === null || !('attribute' in rule) || !('values' in rule)) {
    return JSON.stringify(rule);
  }
  const more = 'cut' in rule && rule.cut !== 0 ? ` or ${String(rule.cut)} more` : '';
  return `${String(rule.attribute)} is ${(rule.values as readonly string[]).join(' or ')}${more}`;
}
