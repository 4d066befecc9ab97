import { formatMoment } from './format-time.ts';
import { writtenValue } from './value-text.ts';
import { expiryWords, numberWords, permissionWords, roleWord } from './words.ts';

/** One line of a diff, of an audit entry or a draft. */
export interface ShownChange {
  /** The environment's name; null for a field of the whole record. */
  readonly environment: string | null;
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /**
   * For a long list: `before` and `after` have only the removed and added items, and these count the items beyond them.
   */
  readonly cut?: SideCounts | null;
  /** For a long list: lengths of the whole lists. */
  readonly totals?: SideCounts | null;
}

interface SideCounts {
  readonly before: number;
  readonly after: number;
}

/** The added and removed items of a list. */
interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Number of further ones. */
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
  ['answersToName', 'Answers to its name'],
  ['aliases', 'Former names'],
  ['takesName', 'Takes the name'],
  ['description', 'Description'],
  ['tags', 'Tags'],
  ['rules', 'Rules'],
  ['evaluationAccess', 'Evaluation API access'],
  ['slug', 'Slug'],
  ['isSlugPublic', 'Public slug'],
  ['isProtected', 'Protected'],
  ['protectedEnvironments', 'Protected environments'],
  ['role', 'Role'],
  ['permission', 'Permission'],
  ['environments', 'Environments'],
  ['expiresAt', 'Expires'],
  ['replaces', 'Replaces token'],
  ['plan', 'Plan'],
  ['email', 'Email'],
  ['openIdAccount', 'OpenID account'],
  ['password', 'Password'],
  ['linkId', 'Link'],
  ['linkExpiresAt', 'Link expires'],
  ['linkMadeBy', 'Link made by'],
  ['method', 'Signed in with'],
  ['userAgent', 'Browser'],
  ['signedInAt', 'Signed in'],
  ['signedInFrom', 'Signed in from'],
  ['attempts', 'Attempts'],
  ['since', 'Since'],
  ['format', 'Format'],
  ['revokedAt', 'Revoked'],
  ['replacedBy', 'Replaced by token'],
  ['trialEndsAt', 'Trial ends'],
  ['subscription', 'Subscription'],
]);

const methodWords = new Map([
  ['password', 'password'],
  ['link', 'one-time link'],
  ['openid', 'OpenID'],
]);

/** An entry that covers several environments has fields `environments.<name>.<field>`. */
export function splitField(change: ShownChange): ShownChange {
  const found = /^environments\.(.+)\.(\w+)$/.exec(change.field);
  if (found === null) return ownCohorts(change);
  return ownCohorts({ ...change, environment: found[1] ?? null, field: found[2] ?? change.field });
}

/** An environment's cohorts are its own list, which the audit log keeps as an empty one when it inherits. */
function ownCohorts(change: ShownChange): ShownChange {
  if (change.environment === null || change.field !== 'cohorts') return change;
  const [before, after] = (['before', 'after'] as const).map((side) => {
    const list = change[side];
    return Array.isArray(list) && (change.totals?.[side] ?? list.length) === 0 ? null : list;
  });
  return { ...change, field: 'cohortOverride', before, after };
}

export function fieldWord(field: string): string {
  return fieldWords.get(field) ?? field;
}

/** A value in the page's words; lists are shown item by item elsewhere. */
export function valueWords(field: string, value: unknown, audienceName: (id: string) => string): string {
  if (field === 'enabled' || field === 'evaluationAccess' || field === 'isSlugPublic')
    return value === true ? 'On' : 'Off';
  if (field === 'trafficPercentage') return `${String(value)}%`;
  if (field === 'audienceId') return typeof value === 'string' ? audienceName(value) : 'Everyone';
  if (field === 'expiresAt') return expiryWords(Number(value));
  if (field.endsWith('At') && typeof value === 'number') return formatMoment(value);
  if (field === 'role' && typeof value === 'string') return roleWord(value);
  if (field === 'permission') return permissionWords(value);
  if (field === 'method') return methodWords.get(String(value)) ?? String(value);
  if (field === 'since') return formatMoment(Number(value));
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @returns null if the value is not a list of texts, or is absent on both sides. */
export function listChange({
  before,
  after,
  cut = null,
}: Pick<ShownChange, 'before' | 'after' | 'cut'>): ListChange | null {
  const left = itemsOf(before, after);
  const right = itemsOf(after, before);
  if (left === null || right === null || (before === null && after === null)) return null;
  if (!Array.isArray(before) && !Array.isArray(after)) return null;
  if (cut !== null) return { added: right, removed: left, addedMore: cut.after, removedMore: cut.before };
  const [had, has] = [new Set(left), new Set(right)];
  const added = right.filter((item) => !had.has(item));
  return { added, removed: left.filter((item) => !has.has(item)), addedMore: 0, removedMore: 0 };
}

function itemsOf(value: unknown, other: unknown): readonly string[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const others: readonly unknown[] = Array.isArray(other) ? other : [];
  return value.map((item) => (typeof item === 'string' ? item : ruleWords(item, others)));
}

/** Of a longer list only the changed values are shown. */
const valuesShownMax = 20;

interface Rule {
  readonly attribute: unknown;
  readonly values: readonly string[];
  /** Number of further values. */
  readonly cut: number;
}

function ruleOf(item: unknown): Rule | null {
  if (typeof item !== 'object' || item === null || !('attribute' in item) || !('values' in item)) return null;
  const values = item.values as readonly string[];
  return { attribute: item.attribute, values, cut: unlistedOf(item, values.length) };
}

/**
 * Number of a rule's values that are not listed. A cut rule has the number; a rule with only its differences has the
 * total.
 */
function unlistedOf(item: object, listed: number): number {
  const whole = 'whole' in item ? (item.whole as { readonly count: number }) : null;
  if (whole !== null) return whole.count - listed;
  return 'cut' in item && typeof item.cut === 'number' ? item.cut : 0;
}

/**
 * An audience's rule in one line.
 *
 * @param others the rules on the other side of the change: values that they lack are shown first
 */
function ruleWords(item: unknown, others: readonly unknown[]): string {
  const rule = ruleOf(item);
  if (rule === null) return JSON.stringify(item);
  const { attribute, values } = rule;
  const shown = values.length > valuesShownMax ? tellingValues(rule, others) : values;
  const rest = values.length - shown.length + rule.cut;
  const words = shown.map(writtenValue);
  if (rest > 0) words.push(`${numberWords(rest)} ${words.length === 0 ? 'values' : 'more'}`);
  return `${String(attribute)} is ${words.join(' or ')}`;
}

/** The values that the counterpart lacks; the first values, if there is no counterpart. */
function tellingValues({ attribute, values }: Rule, others: readonly unknown[]): readonly string[] {
  const counterpart = others.map(ruleOf).find((other) => other?.attribute === attribute);
  if (counterpart === undefined || counterpart === null) return values.slice(0, valuesShownMax);
  const known = new Set(counterpart.values);
  return values.filter((value) => !known.has(value)).slice(0, valuesShownMax);
}
