import type { Flag, FlagState } from '../../domain/flag/flag.ts';
import { recordCodec } from './record-codec.ts';

type StateRow = readonly [
  environmentNumber: number,
  enabled: boolean,
  trafficPercentage: number,
  cohortOverride: readonly string[] | null,
  audienceId: string | null,
];

type FlagRow = readonly [
  id: string,
  projectId: string,
  name: string,
  description: string,
  tags: readonly string[],
  cohorts: readonly string[],
  states: readonly StateRow[],
  revision: number,
  createdAt: number,
  updatedAt: number,
];

export const flagRecord = recordCodec<Flag, FlagRow>({
  database: 'flags',
  version: 1,
  toRow: (it) => [
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
