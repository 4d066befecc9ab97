import { hourMs } from '../../domain/usage/evaluation-count.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { readHourFlagKey } from '../keys/evaluation-count-keys.ts';
import { evaluationCountsRecord } from '../records/evaluation-counts-record.ts';
import { type Finding, findingAt } from './finding.ts';
import type { StoreWalk } from './store-walk.ts';

/** Counts of whole hours, none below zero. Those of a flag that is gone stay until they are too old. */
export function* checkEvaluationCounts(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(evaluationCountsRecord, function* ({ key, record }) {
    const { hour, flagId } = readHourFlagKey(key);
    if (hour % hourMs !== 0 || !isIdShaped(flagId)) {
      yield findingAt('evaluation-counts', key, 'is of no hour and flag');
    }
    if (record.some(({ on, off }) => !(on >= 0 && off >= 0))) {
      yield findingAt('evaluation-counts', key, 'has a count below zero');
    }
  });
}
