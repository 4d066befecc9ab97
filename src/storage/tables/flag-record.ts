import type { Flag, FlagState, PackedFlag, StateOf } from '../../domain/flag/flag.ts';
import type { PackedList } from '../../support/packed-list.ts';
import { finish, type Steps } from '../../support/steps.ts';
import { type RecordCodec, recordCodec } from '../records/record-codec.ts';
import type { RowReader } from '../records/row-reader.ts';
import { storableOverride, storedFlag } from './stored-state.ts';

type StateRow = readonly [
  environmentNumber: number,
  enabled: boolean,
  trafficPercentage: number,
  cohortOverride: readonly string[] | null,
  audienceId: string | null,
];

const flagCodec = recordCodec({
  database: 'flags',
  version: 1,
  toRow: (it: Flag) => [
    it.id,
    it.projectId,
    it.name,
    it.description,
    it.tags,
    it.cohorts,
    statesToRows(it.states),
    it.revision,
    it.createdAt,
    it.updatedAt,
  ],
  fromRow: (row) => ({
    id: row[0],
    projectId: row[1],
    name: row[2],
    description: row[3],
    tags: row[4],
    cohorts: row[5],
    states: statesFromRows(row[6]),
    revision: row[7],
    createdAt: row[8],
    updatedAt: row[9],
  }),
});

/** Lists of a longer record become strings only when they are asked for. */
const longBytes = 64 * 1024;

export const flagRecord: RecordCodec<Flag> = {
  ...flagCodec,
  decode: (key, bytes) =>
    bytes.length > longBytes ? storedFlag(finish(skimFlag(key, bytes))) : flagCodec.decode(key, bytes),
};

function statesToRows(states: ReadonlyMap<number, FlagState>): StateRow[] {
  const rows: StateRow[] = [];
  for (const [environmentNumber, state] of states) {
    const { enabled, trafficPercentage, audienceId } = state;
    // `packRow` writes such bytes as the list that they are.
    const cohortOverride = storableOverride(state) as readonly string[] | null;
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

/** Fields of a row, and of a state's. Later versions may append others. */
const [fieldCount, stateFieldCount] = [10, 5];
/** A step ends after a list that is longer. */
const stepBytes = 64 * 1024;

/**
 * Reads a flag in steps. Its lists refer to `bytes`, which must not change.
 * @throws DamagedRecordError
 */
export function skimFlag(key: Uint8Array, bytes: Buffer): Steps<PackedFlag> {
  return flagCodec.skim(key, bytes, skimRow);
}

function* skimRow(row: RowReader): Steps<PackedFlag> {
  const fields = requireFields(row.enterArray(), fieldCount);
  const [id, projectId, name] = [row.readString(), row.readString(), row.readString()];
  const [description, tags] = [row.readString(), row.read() as readonly string[]];
  const cohorts = row.passList();
  const states = new Map<number, StateOf<PackedList>>();
  for (let left = row.enterArray(); left > 0; left -= 1) {
    if (skimState(row, states) > stepBytes) yield;
  }
  const [revision, createdAt, updatedAt] = [row.read(), row.read(), row.read()] as [number, number, number];
  row.pass(fields - fieldCount);
  row.requireEnd();
  return { id, projectId, name, description, tags, cohorts, states, revision, createdAt, updatedAt };
}

/** @returns the length of the state's own list */
function skimState(row: RowReader, states: Map<number, StateOf<PackedList>>): number {
  const fields = requireFields(row.enterArray(), stateFieldCount);
  const [environmentNumber, enabled, trafficPercentage] = [row.read(), row.read(), row.read()];
  const cohortOverride = row.passListOrNull();
  const audienceId = row.read();
  row.pass(fields - stateFieldCount);
  const state = { enabled, trafficPercentage, cohortOverride, audienceId };
  states.set(environmentNumber as number, state as StateOf<PackedList>);
  return cohortOverride === null ? 0 : cohortOverride.end - cohortOverride.start;
}

function requireFields(count: number, least: number): number {
  if (count < least) throw new RangeError('a row that has too few fields');
  return count;
}
