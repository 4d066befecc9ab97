import { type OutboxDelivery, outboxEntriesMax } from '../domain/outbox/outbox-delivery.ts';
import type { OutboxEntry } from '../domain/token/denial.ts';
import { metaKeys, sequenceKey } from './keys/key-parts.ts';
import { counterRecord } from './records/counter-record.ts';
import { outboxDeliveryRecord } from './records/outbox-delivery-record.ts';
import { outboxRecord } from './records/outbox-record.ts';
import type { WriteTarget } from './write-target.ts';

const firstSequence = sequenceKey(0);

/** Appends an entry. Of more than can be kept the oldest goes, sent or not. */
export function writeOutbox(target: WriteTarget, entry: OutboxEntry): void {
  const sequence = (target.source.find(counterRecord, metaKeys.outbox) ?? 0) + 1;
  target.put(outboxRecord, sequenceKey(sequence), entry);
  target.put(counterRecord, metaKeys.outbox, sequence);
  if (sequence <= outboxEntriesMax) return;
  const old = { start: firstSequence, end: sequenceKey(sequence - outboxEntriesMax + 1) };
  target.removeRange('outbox', old);
  target.removeRange('outbox-deliveries', old);
}

/** @param delivery null: the entry is settled, and goes with all that was tried. */
export function writeDelivery(target: WriteTarget, sequence: number, delivery: OutboxDelivery | null): void {
  const key = sequenceKey(sequence);
  if (delivery === null) {
    target.remove('outbox', key);
    target.remove('outbox-deliveries', key);
  } else if (target.source.find(outboxRecord, key) !== undefined) {
    target.put(outboxDeliveryRecord, key, delivery);
  }
}
