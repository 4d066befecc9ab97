import { outboxEntriesMax } from '../../domain/bounds.ts';
import type { OutboxDelivery } from '../../domain/outbox/outbox-delivery.ts';
import type { OutboxEntry } from '../../domain/token/denial.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { sequenceKey, sequenceOf } from '../keys/key-parts.ts';
import type { RecordSource } from '../record-source.ts';
import { plain, recordOf, storedAs } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import { denialFromRow, denialToRow } from './activity.ts';
import { counterRecord, metaKeys } from './meta.ts';
import type { Table } from './table.ts';

export const outboxRecord = recordOf<OutboxEntry>('outbox', {
  kind: plain,
  denial: storedAs(denialToRow, denialFromRow),
});

export const outboxDeliveryRecord = recordOf<OutboxDelivery>('outbox-deliveries', {
  attempts: plain,
  nextAttemptAt: plain,
  settledMemberIds: plain,
  failedAt: plain,
  fault: plain,
});

/** Mails that wait, and the attempts to send them. */
export const outboxTable = {
  kinds: [
    { codec: outboxRecord, indexes: [] },
    { codec: outboxDeliveryRecord, indexes: [] },
  ],
  answers: {
    outboxAfter: ({ source }, sequence) => entriesAfter(source, sequence),
    outboxDelivery: ({ source }, sequence) => source.find(outboxDeliveryRecord, sequenceKey(sequence)),
  },
  writes: {
    outbox: (target, { entry }) => writeEntry(target, entry),
    'outbox-delivery': (target, { sequence, delivery }) => writeDelivery(target, sequence, delivery),
  },
  check: checkOutbox,
} satisfies Table;

function* entriesAfter(source: RecordSource, after: number) {
  for (const { key, record } of source.records(outboxRecord, { start: sequenceKey(after + 1) })) {
    yield { sequence: sequenceOf(key), entry: record };
  }
}

const firstSequence = sequenceKey(0);

/** Appends an entry. Beyond the bound the oldest is dropped, sent or not. */
function writeEntry(target: WriteTarget, entry: OutboxEntry): void {
  const sequence = (target.source.find(counterRecord, metaKeys.outbox) ?? 0) + 1;
  target.put(outboxRecord, sequenceKey(sequence), entry);
  target.put(counterRecord, metaKeys.outbox, sequence);
  if (sequence <= outboxEntriesMax) return;
  const old = { start: firstSequence, end: sequenceKey(sequence - outboxEntriesMax + 1) };
  target.removeRange('outbox', old);
  target.removeRange('outbox-deliveries', old);
}

/** @param delivery null: the entry is settled, and deleted with its attempts. */
function writeDelivery(target: WriteTarget, sequence: number, delivery: OutboxDelivery | null): void {
  const key = sequenceKey(sequence);
  if (delivery === null) {
    target.remove('outbox', key);
    target.remove('outbox-deliveries', key);
  } else if (target.source.find(outboxRecord, key) !== undefined) {
    target.put(outboxDeliveryRecord, key, delivery);
  }
}

function* checkOutbox(walk: StoreWalk): Generator<Finding> {
  const counter = walk.find(counterRecord, metaKeys.outbox) ?? 0;
  // The token may be deleted: the one revoked longest ago makes room. Then the mail is not sent.
  yield* walk.records(outboxRecord, function* ({ key }) {
    if (sequenceOf(key) > counter)
      yield findingAt('outbox', key, `is beyond the last number given, ${counter}`);
  });
  yield* walk.records(outboxDeliveryRecord, function* ({ key }) {
    if (!walk.has(outboxRecord, key)) {
      yield findingAt('outbox-deliveries', key, 'is of an outbox entry that is missing');
    }
  });
}
