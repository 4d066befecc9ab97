import type { Flag, FlagState, PackedFlag, StateOf } from '../../domain/flag/flag.ts';
import type { PackedList } from '../../support/packed-list.ts';
import { type RecordCodec, recordCodec } from '../records/record-codec.ts';
import type { RowReader } from '../records/row-reader.ts';

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

export const flagRecord: RecordCodec<Flag> = flagCodec;

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

/** Fields of a row, and of a state's. Later versions may append others. */
const [fieldCount, stateFieldCount] = [10, 5];
/**
 * Reads a flag. Its lists refer to `bytes`, which must not change.
 * @throws DamagedRecordError
 */
export function skimFlag(key: Uint8Array, bytes: Buffer): PackedFlag {
  return flagCodec.skim(key, bytes, skimRow);
}

function skimRow(row: RowReader): PackedFlag {
  const fields = requireFields(row.enterArray(), fieldCount);
  const [id, projectId, name] = [row.readString(), row.readString(), row.readString()];
  const [description, tags] = [row.readString(), row.read() as readonly string[]];
  const cohorts = row.passList();
  const states = new Map<number, StateOf<PackedList>>();
  for (let left = row.enterArray(); left > 0; left -= 1) skimState(row, states);
  const [revision, createdAt, updatedAt] = [row.read(), row.read(), row.read()] as [number, number, number];
  row.pass(fields - fieldCount);
  row.requireEnd();
  return { id, projectId, name, description, tags, cohorts, states, revision, createdAt, updatedAt };
}

function skimState(row: RowReader, states: Map<number, StateOf<PackedList>>): void {
  const fields = requireFields(row.enterArray(), stateFieldCount);
  const [environmentNumber, enabled, trafficPercentage] = [row.read(), row.read(), row.read()];
  const cohortOverride = row.passListOrNull();
  const audienceId = row.read();
  row.pass(fields - stateFieldCount);
  const state = { enabled, trafficPercentage, cohortOverride, audienceId };
  states.set(environmentNumber as number, state as StateOf<PackedList>);
}

function requireFields(count: number, least: number): number {
  if (count < least) throw new RangeError('a row that has too few fields');
  return count;
}
