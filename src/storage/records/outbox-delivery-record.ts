import type { OutboxDelivery } from '../../domain/outbox/outbox-delivery.ts';
import { recordCodec } from './record-codec.ts';

type OutboxDeliveryRow = readonly [
  attempts: number,
  nextAttemptAt: number,
  settledMemberIds: readonly string[],
  failedAt: number | null,
  fault: string,
];

export const outboxDeliveryRecord = recordCodec<OutboxDelivery, OutboxDeliveryRow>({
  database: 'outbox-deliveries',
  version: 1,
  toRow: (it) => [it.attempts, it.nextAttemptAt, it.settledMemberIds, it.failedAt, it.fault],
  fromRow: ([attempts, nextAttemptAt, settledMemberIds, failedAt, fault]) => ({
    attempts,
    nextAttemptAt,
    settledMemberIds,
    failedAt,
    fault,
  }),
});
