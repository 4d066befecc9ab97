import type { RecordQueries } from '../domain/record-queries.ts';
import { sequenceKey, sequenceOf } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { outboxDeliveryRecord } from './records/outbox-delivery-record.ts';
import { outboxRecord } from './records/outbox-record.ts';

/** The questions about what waits to be mailed. */
export function outboxQueries(source: RecordSource): Pick<RecordQueries, 'outboxAfter' | 'outboxDelivery'> {
  return {
    *outboxAfter(sequence) {
      const range = { start: sequenceKey(sequence + 1) };
      for (const { key, record } of source.records(outboxRecord, range)) {
        yield { sequence: sequenceOf(key), entry: record };
      }
    },
    outboxDelivery: (sequence) => source.find(outboxDeliveryRecord, sequenceKey(sequence)),
  };
}
