import type { Flag, FlagState, PackedFlag, StateOf } from '../../domain/flag/flag.ts';
import type { PackedList } from '../../support/packed-list.ts';
import { plain, recordOf, storedAs } from '../records/record-codec.ts';
import type { RowReader } from '../records/row-reader.ts';

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
  const [description, tags] = [row.readString(), row.read() as readonly string[]];
  const cohorts = row.passList();
  const states = new Map<number, StateOf<PackedList>>();
  for (let left = row.enterArray(); left > 0; left -= 1) skimState(row, states);
  const [revision, createdAt, updatedAt] = [row.read(), row.read(), row.read()] as [number, number, number];
  row.requireEnd();
  return { id, projectId, name, description, tags, cohorts, states, revision, createdAt, updatedAt };
}

function skimState(row: RowReader, states: Map<number, StateOf<PackedList>>): void {
  row.enterArray();
  const [environmentNumber, enabled, trafficPercentage] = [row.read(), row.read(), row.read()];
  const cohortOverride = row.passListOrNull();
  const audienceId = row.read();
  const state = { enabled, trafficPercentage, cohortOverride, audienceId };
  states.set(environmentNumber as number, state as StateOf<PackedList>);
}
