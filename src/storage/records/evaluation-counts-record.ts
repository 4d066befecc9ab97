import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import { recordCodec } from './record-codec.ts';

/** A flag's answers within an hour, environment by environment; hour and flag are in the key. */
export type HourCounts = readonly Pick<EvaluationCount, 'environmentNumber' | 'on' | 'off'>[];

type HourCountsRow = readonly (readonly [environmentNumber: number, on: number, off: number])[];

export const evaluationCountsRecord = recordCodec<HourCounts, HourCountsRow>({
  database: 'evaluation-counts',
  version: 1,
  toRow: (counts) => counts.map(({ environmentNumber, on, off }) => [environmentNumber, on, off]),
  fromRow: (row) => row.map(([environmentNumber, on, off]) => ({ environmentNumber, on, off })),
});
