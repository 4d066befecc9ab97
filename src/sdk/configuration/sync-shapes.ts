import type {
  SyncAudience,
  SyncBeat,
  SyncDelta,
  SyncFlag,
  SyncGoodbye,
  SyncSnapshot,
} from '../../domain/sync/configuration.ts';

/**
 * The received data does not have the expected format, or does not fit the present configuration: the client requests
 * the whole configuration again.
 */
export class UnusableConfiguration extends Error {
  override readonly name = 'UnusableConfiguration';
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new UnusableConfiguration(`${what} is not an object`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new UnusableConfiguration(`${what} is not as the format says`);
}

function listOf<Item>(fields: Fields, name: string, read: (value: unknown) => Item): readonly Item[] {
  const list = fields[name];
  if (!Array.isArray(list)) throw new UnusableConfiguration(`${name} is not a list`);
  return list.map(read);
}

function textsOf(fields: Fields, name: string): readonly string[] {
  return listOf(fields, name, (value) => {
    if (!isText(value)) throw new UnusableConfiguration(`${name} has an entry that is not text`);
    return value;
  });
}

/** `<history>.<number>`. */
export interface Position {
  readonly history: string;
  readonly number: number;
}

export function parseVersion(version: string): Position {
  const dot = version.lastIndexOf('.');
  const number = Number(version.slice(dot + 1));
  check(dot > 0 && dot < version.length - 1 && Number.isSafeInteger(number) && number >= 0, 'the version');
  return { history: version.slice(0, dot), number };
}

function versionOf(fields: Fields): string {
  const { version } = fields as Partial<SyncBeat>;
  if (!isText(version)) throw new UnusableConfiguration('the version is not text');
  parseVersion(version);
  return version;
}

function readFlag(value: unknown): SyncFlag {
  const fields = fieldsOf(value, 'a flag');
  const { id, name, names, revision, enabled } = fields as Partial<SyncFlag>;
  const { trafficPercentage, cohorts, audienceId } = fields as Partial<SyncFlag>;
  check(isText(id) && id.length > 0 && isText(name) && name.length > 0, "a flag's id or name");
  check(isTextList(names), `the names of ${id}`);
  check(Number.isSafeInteger(revision) && typeof enabled === 'boolean', `flag ${id}`);
  const percentage = trafficPercentage as number;
  check(Number.isInteger(percentage) && percentage >= 0 && percentage <= 100, `the percentage of ${id}`);
  check(isTextList(cohorts), `the cohorts of ${id}`);
  check(audienceId === null || isText(audienceId), `the audience of ${id}`);
  return value as SyncFlag;
}

function readAudience(value: unknown): SyncAudience {
  const fields = fieldsOf(value, 'an audience');
  check(isText(fields['id']), "an audience's id");
  listOf(fields, 'rules', (rule) => {
    const { attribute, values } = fieldsOf(rule, 'a rule') as Partial<SyncAudience['rules'][number]>;
    check(isText(attribute) && isTextList(values), `a rule of audience ${fields['id']}`);
  });
  return value as SyncAudience;
}

/** @throws UnusableConfiguration */
export function readSnapshot(value: unknown): SyncSnapshot {
  const fields = fieldsOf(value, 'the configuration');
  const { projectId, environment } = fields as Partial<SyncSnapshot>;
  if (!isText(projectId)) throw new UnusableConfiguration('it names no project');
  if (environment !== null && !isText(environment))
    throw new UnusableConfiguration('it names no environment');
  return {
    version: versionOf(fields),
    projectId,
    environment,
    flags: listOf(fields, 'flags', readFlag),
    audiences: listOf(fields, 'audiences', readAudience),
  };
}

/** @throws UnusableConfiguration */
export function readDelta(value: unknown): SyncDelta {
  const fields = fieldsOf(value, 'the change');
  return {
    version: versionOf(fields),
    flags: listOf(fields, 'flags', readFlag),
    removed: textsOf(fields, 'removed'),
    audiences: listOf(fields, 'audiences', readAudience),
    removedAudiences: textsOf(fields, 'removedAudiences'),
  };
}

/** @throws UnusableConfiguration */
export function readBeat(value: unknown): SyncBeat {
  return { version: versionOf(fieldsOf(value, 'the beat')) };
}

/** @throws UnusableConfiguration */
export function readGoodbye(value: unknown): SyncGoodbye {
  const { retryAfterMs } = fieldsOf(value, 'the goodbye') as Partial<SyncGoodbye>;
  if (typeof retryAfterMs !== 'number' || !(retryAfterMs >= 0)) {
    throw new UnusableConfiguration('the goodbye says no time');
  }
  return { retryAfterMs };
}

/** @throws UnusableConfiguration for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableConfiguration('it is no JSON');
  }
}
