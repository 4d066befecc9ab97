import type { KeptAnswersUsage } from '../../domain/idempotency/kept-answer.ts';
import { recordCodec } from './record-codec.ts';

export const keptAnswersUsageRecord = recordCodec<
  KeptAnswersUsage,
  readonly [entries: number, bytes: number]
>({
  database: 'kept-answers-usage',
  version: 1,
  toRow: (it) => [it.entries, it.bytes],
  fromRow: ([entries, bytes]) => ({ entries, bytes }),
});
