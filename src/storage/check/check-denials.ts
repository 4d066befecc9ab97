import { activityRowsMax } from '../../domain/token/denial.ts';
import { firstIdOf, metaKeys, sequenceOf } from '../keys/key-parts.ts';
import { activityRecord } from '../records/activity-record.ts';
import { counterRecord } from '../records/counter-record.ts';
import { outboxDeliveryRecord } from '../records/outbox-delivery-record.ts';
import { outboxRecord } from '../records/outbox-record.ts';
import type { RecordCodec } from '../records/record-codec.ts';
import { tokenRecord } from '../records/token-record.ts';
import { tokenUseRecord } from '../records/token-use-record.ts';
import { type Finding, findingAt } from './finding.ts';
import { reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Rows of denials and uses, and outbox entries: all are of tokens. */
export function* checkDenials(walk: StoreWalk): Generator<Finding> {
  yield* checkRows(walk, activityRecord);
  yield* checkRows(walk, tokenUseRecord);
  yield* checkOutbox(walk);
}

function* checkRows<T extends { readonly tokenId: string }>(
  walk: StoreWalk,
  codec: RecordCodec<T>,
): Generator<Finding> {
  const { database } = codec;
  let tokenId = '';
  let rows = 0;
  yield* walk.records(codec, function* ({ key, record }) {
    rows = firstIdOf(key) === tokenId ? rows + 1 : 1;
    tokenId = firstIdOf(key);
    if (rows === 1) yield* reference(walk, `${database}/${tokenId}`, tokenRecord, tokenId);
    if (record.tokenId !== tokenId) yield findingAt(database, key, `is of token ${record.tokenId}`);
    if (rows === activityRowsMax + 1) {
      yield { where: `${database}/${tokenId}`, what: `has more than ${activityRowsMax} rows` };
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
  yield* walk.records(outboxDeliveryRecord, function* ({ key }) {
    if (!walk.has(outboxRecord, key)) {
      yield findingAt('outbox-deliveries', key, 'is of an outbox entry that is missing');
    }
  });
}
