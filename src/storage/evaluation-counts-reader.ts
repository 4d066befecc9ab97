import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { hourFlagKey } from './keys/evaluation-count-keys.ts';
import type { RecordSource } from './record-source.ts';
import { evaluationCountsRecord } from './records/evaluation-counts-record.ts';

/** The question about how often a flag was on and off. */
export function evaluationCountQueries(source: RecordSource): Pick<RecordQueries, 'evaluationCounts'> {
  return {
    evaluationCounts(flagId, hour) {
      if (!isIdShaped(flagId)) return [];
      const counts = source.find(evaluationCountsRecord, hourFlagKey(hour, flagId)) ?? [];
      return counts.map((count) => ({ ...count, hour, flagId }));
    },
  };
}
