import { isDeepStrictEqual } from 'node:util';
import { type Flag, type FlagState, namesOf, type PackedFlag, type StateOf } from '../../domain/flag/flag.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import type { FlagPlace } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import type { PackedList } from '../../support/packed-list.ts';
import type { Finding, StoreWalk } from '../check/store-walk.ts';
import { type FoundRecord, findRecord } from '../evaluation-reader.ts';
import {
  idBytes,
  idKey,
  type KeyRange,
  lastIdKeyOf,
  prefixRange,
  rangeOf,
  textPart,
} from '../keys/key-parts.ts';
import { emptyValue, findById, indexed, missingRecord, type RecordIndex } from '../record-index.ts';
import type { RecordSource } from '../record-source.ts';
import { plain, recordOf, storedAs } from '../records/record-codec.ts';
import type { RowReader } from '../records/row-reader.ts';
import { audienceRecord } from './audiences.ts';
import { countRecord } from './project-records.ts';
import { projectRecord } from './projects.ts';
import { replacedTable } from './table.ts';

type StateRow = readonly [
  environmentNumber: number,
  enabled: boolean,
  trafficPercentage: number,
  cohortOverride: readonly string[] | null,
  audienceId: string | null,
];

export const flagRecord = recordOf<Flag>('flags', {
  id: plain,
  projectId: plain,
  name: plain,
  nameSince: plain,
  aliases: plain,
  description: plain,
  tags: plain,
  cohorts: plain,
  states: storedAs(statesToRows, statesFromRows),
  revision: plain,
  createdAt: plain,
  updatedAt: plain,
});

function statesToRows(states: ReadonlyMap<number, FlagState>): StateRow[] {
  const rows: StateRow[] = [];
  for (const [environmentNumber, state] of states) {
    const { enabled, trafficPercentage, cohortOverride, audienceId } = state;
    rows.push([environmentNumber, enabled, trafficPercentage, cohortOverride, audienceId]);
  }
  return rows;
}

function statesFromRows(rows: readonly StateRow[]): ReadonlyMap<number, FlagState> {
  const states = new Map<number, FlagState>();
  for (const [environmentNumber, enabled, trafficPercentage, cohortOverride, audienceId] of rows) {
    states.set(environmentNumber, { enabled, trafficPercentage, cohortOverride, audienceId });
  }
  return states;
}

/**
 * Reads a flag. Its lists refer to `bytes`, which must not change.
 * @throws DamagedRecordError
 */
export function skimFlag(key: Uint8Array, bytes: Buffer): PackedFlag {
  return flagRecord.skim(key, bytes, skimRow);
}

/** In the order of the fields of `flagRecord`. */
function skimRow(row: RowReader): PackedFlag {
  row.enterArray();
  const [id, projectId, name] = [row.readString(), row.readString(), row.readString()];
  const [nameSince, aliases] = [row.read() as number | null, row.read() as readonly string[]];
  const [description, tags] = [row.readString(), row.read() as readonly string[]];
  const cohorts = row.passList();
  const states = new Map<number, StateOf<PackedList>>();
  for (let left = row.enterArray(); left > 0; left -= 1) skimState(row, states);
  const [revision, createdAt, updatedAt] = [row.read(), row.read(), row.read()] as [number, number, number];
  row.requireEnd();
  const labels = { name, nameSince, aliases, description, tags };
  return { id, projectId, ...labels, cohorts, states, revision, createdAt, updatedAt };
}

function skimState(row: RowReader, states: Map<number, StateOf<PackedList>>): void {
  row.enterArray();
  const [environmentNumber, enabled, trafficPercentage] = [row.read(), row.read(), row.read()];
  const cohortOverride = row.passListOrNull();
  const audienceId = row.read();
  const state = { enabled, trafficPercentage, cohortOverride, audienceId };
  states.set(environmentNumber as number, state as StateOf<PackedList>);
}

/**
 * @throws RangeError when no valid name looks like this: it is too long, or contains the character that ends a name.
 */
export function flagNameKey(projectId: string, name: string, flagId: string): Buffer {
  return Buffer.concat([namePrefixOf(projectId, name), idKey(flagId)]);
}

function namePrefixOf(projectId: string, name: string): Buffer {
  const prefix = namePrefix(projectId, name);
  if (prefix === null) throw new RangeError('This flag name has no place in the index');
  return prefix;
}

function placeOfKey(key: Buffer): FlagPlace {
  const nameEnd = key.length - idBytes - 1;
  return { name: key.toString('utf8', idBytes, nameEnd), id: key.toString('latin1', nameEnd + 1) };
}

function namePrefix(projectId: string, name: string): Buffer | null {
  const part = textPart(name);
  return part === null ? null : Buffer.concat([idKey(projectId), part]);
}

/** The keys of a project's flags, or of those with exactly this name; null when there can be none. */
function rangeOfFlags(projectId: string, name: string | undefined): KeyRange | null {
  if (!isIdShaped(projectId)) return null;
  const prefix = name === undefined ? idKey(projectId) : namePrefix(projectId, name);
  return prefix === null ? null : prefixRange(prefix);
}

/** The keys of a project's flags behind a place; null when no flag can be there. */
function rangeAfter(projectId: string, { name, id }: FlagPlace): KeyRange | null {
  if (!isIdShaped(projectId) || !isIdShaped(id)) return null;
  const prefix = namePrefix(projectId, name);
  if (prefix === null) return null;
  return { start: Buffer.concat([prefix, idKey(id), Buffer.of(0)]), end: rangeOf(projectId).end };
}

const flagIndex: RecordIndex<Flag> = {
  database: 'flags-by-name',
  keysOf: ({ projectId, name, id }) => [flagNameKey(projectId, name, id)],
  hasSameKeys: (before, after) => before.projectId === after.projectId && before.name === after.name,
  valueOf: () => emptyValue,
  recordKeyOf: lastIdKeyOf,
};

/** The names to which flags answer. The rules give a name to one flag at a time. */
const nameIndex: RecordIndex<Flag> = {
  database: 'names',
  keysOf: (flag) => namesOf(flag).map((name) => namePrefixOf(flag.projectId, name)),
  hasSameKeys: (before, after) =>
    before.name === after.name &&
    (before.nameSince === null) === (after.nameSince === null) &&
    isDeepStrictEqual(before.aliases, after.aliases),
  valueOf: ({ id }) => idKey(id),
  recordKeyOf: (_, value) => value,
};

export const flagTable = replacedTable({
  kind: 'flag',
  codec: flagRecord,
  indexes: [flagIndex, nameIndex],
  answers: {
    flag: ({ source }, id) => findById(source, flagRecord, id),
    flagsOf: ({ source }, projectId, name) => flagsOf(source, projectId, name),
    flagNamed: ({ source }, projectId, name) => flagNamed(source, projectId, name),
    flagsAfter: ({ source }, projectId, place) => flagsIn(source, rangeAfter(projectId, place)),
    flagsLongerThan: ({ source }, projectId, bytes) =>
      flagsWhose(source, projectId, ({ length }) => length > bytes),
    flagPlacesOf: ({ source }, projectId, name) => flagPlacesOf(source, projectId, name),
    flagsNaming: ({ source }, projectId, audienceId) => flagsNaming(source, projectId, audienceId),
  },
  onSize: (target, { projectId }, before, after) =>
    countRecord(target, projectId, { flags: Number(after > 0) - Number(before > 0), bytes: after - before }),
  logged: ({ id, projectId }, { environment }) => ({ kind: 'flag', projectId, id, environment }),
  examine: checkFlag,
});

function* flagsOf(source: RecordSource, projectId: string, name: string | undefined): Generator<Flag> {
  yield* flagsIn(source, rangeOfFlags(projectId, name));
}

function flagNamed(source: RecordSource, projectId: string, name: string): string | undefined {
  const key = isIdShaped(projectId) ? namePrefix(projectId, name) : null;
  return key === null ? undefined : source.findEntry(nameIndex.database, key)?.toString('latin1');
}

function* flagsIn(source: RecordSource, range: KeyRange | null): Generator<Flag> {
  if (range !== null) yield* indexed(source, flagIndex, flagRecord, range);
}

function* flagPlacesOf(source: RecordSource, projectId: string, name?: string): Generator<FlagPlace> {
  const range = rangeOfFlags(projectId, name);
  if (range === null) return;
  for (const key of source.keys(flagIndex.database, range)) yield placeOfKey(key);
}

/**
 * Decodes only records that contain the id's bytes: the writer searches ten thousand flags of a project while commands
 * wait.
 */
function* flagsNaming(source: RecordSource, projectId: string, audienceId: string): Generator<Flag> {
  if (!isIdShaped(audienceId)) return;
  const sought = idKey(audienceId);
  yield* flagsWhose(source, projectId, (bytes) => bytes.includes(sought));
}

/** @param isWanted decides by a record's bytes, before it is decoded */
function* flagsWhose(
  source: RecordSource,
  projectId: string,
  isWanted: (bytes: Buffer) => boolean,
): Generator<Flag> {
  if (!isIdShaped(projectId)) return;
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys(flagIndex.database, rangeOf(projectId))) {
      const key = lastIdKeyOf(indexKey);
      const bytes = pinned.source.findBytes('flags', key);
      if (bytes === undefined) throw missingRecord(flagRecord, key);
      if (isWanted(bytes)) yield flagRecord.decode(key, bytes);
    }
  } finally {
    pinned.release();
  }
}

function flagAt(source: RecordSource, key: Buffer): FoundRecord<PackedFlag> | undefined {
  return findRecord<PackedFlag>({ source, database: 'flags', key, skim: skimFlag });
}

/** For evaluation, without strings for the items of its lists. */
export function foundFlag(source: RecordSource, id: string): FoundRecord<PackedFlag> | undefined {
  return isIdShaped(id) ? flagAt(source, idKey(id)) : undefined;
}

/** The same for all flags of a project, by name, then id. */
export function* foundFlagsOf(source: RecordSource, projectId: string): Generator<FoundRecord<PackedFlag>> {
  const range = rangeOfFlags(projectId, undefined);
  if (range === null) return;
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys(flagIndex.database, range)) {
      const key = lastIdKeyOf(indexKey);
      const found = flagAt(pinned.source, key);
      if (found === undefined) throw missingRecord(flagRecord, key);
      yield found;
    }
  } finally {
    pinned.release();
  }
}

function* checkFlag(walk: StoreWalk, flag: Flag): Generator<Finding> {
  const where = `flags/${flag.id}`;
  yield* walk.reference(where, projectRecord, flag.projectId);
  const project = walk.findById(projectRecord, flag.projectId);
  for (const [environmentNumber, state] of flag.states) {
    if (project !== null && isOfDeleted(project, environmentNumber)) continue;
    if (project !== null && !environmentNumbers(project).includes(environmentNumber)) {
      yield {
        where,
        what: `has a state for environment ${environmentNumber}, which its project never had`,
      };
    }
    yield* checkState(walk, flag, state, where);
  }
}

/**
 * States of a deleted environment stay until their flag is edited, and are not checked: their audience may be deleted.
 */
function isOfDeleted(project: Project, environmentNumber: number): boolean {
  const wasGiven = project.isMultiEnvironment && environmentNumber < project.nextEnvironmentNumber;
  return wasGiven && !environmentNumbers(project).includes(environmentNumber);
}

function* checkState(walk: StoreWalk, flag: Flag, state: FlagState, where: string): Generator<Finding> {
  const { audienceId, cohortOverride, trafficPercentage } = state;
  if (!Number.isInteger(trafficPercentage) || trafficPercentage < 0 || trafficPercentage > 100) {
    yield { where, what: `has a state with traffic percentage ${trafficPercentage}` };
  }
  if (cohortOverride?.length === 0) yield { where, what: 'has a state with an empty cohort override' };
  if (audienceId === null) return;
  yield* walk.reference(where, audienceRecord, audienceId);
  const audience = walk.findById(audienceRecord, audienceId);
  if (audience !== null && audience.projectId !== flag.projectId) {
    yield { where, what: `refers to audiences/${audienceId}, which is of another project` };
  }
}
