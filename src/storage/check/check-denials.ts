import { activityRowsMax } from '../../domain/token/denial.ts';
import { firstIdOf, metaKeys, sequenceOf } from '../keys.ts';
import { activityRecord } from '../records/activity-record.ts';
import { counterRecord } from '../records/counter-record.ts';
import { outboxRecord } from '../records/outbox-record.ts';
import { tokenRecord } from '../records/token-record.ts';
import { type Finding, findingAt } from './finding.ts';
import { reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Activity rows and outbox entries: both are of tokens. */
export function* checkDenials(walk: StoreWalk): Generator<Finding> {
  yield* checkActivity(walk);
  yield* checkOutbox(walk);
}

function* checkActivity(walk: StoreWalk): Generator<Finding> {
  let tokenId = '';
  let rows = 0;
  yield* walk.records(activityRecord, function* ({ key, record }) {
    rows = firstIdOf(key) === tokenId ? rows + 1 : 1;
    tokenId = firstIdOf(key);
    if (rows === 1) yield* reference(walk, `activity/${tokenId}`, tokenRecord, tokenId);
    if (record.tokenId !== tokenId) yield findingAt('activity', key, `is of token ${record.tokenId}`);
    if (rows === activityRowsMax + 1) {
      yield { where: `activity/${tokenId}`, what: `has more than ${activityRowsMax} rows` };
    }
  });
}

function* checkOutbox(walk: StoreWalk): Generator<Finding> {
  const counter = walk.find(counterRecord, metaKeys.outbox) ?? 0;
  yield* walk.records(outboxRecord, function* ({ key, record }) {
    yield* reference(walk, `outbox/${sequenceOf(key)}`, tokenRecord, record.denial.tokenId);
    if (sequenceOf(key) > counter)
      yield findingAt('outbox', key, `is beyond the last number given, ${counter}`);
  });
}
