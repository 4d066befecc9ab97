import type { OutboxEntry } from '../../domain/token/denial.ts';
import { type DenialRow, denialFromRow, denialToRow } from './denial-row.ts';
import { recordCodec } from './record-codec.ts';

type OutboxRow = readonly [kind: OutboxEntry['kind'], denial: DenialRow];

export const outboxRecord = recordCodec<OutboxEntry, OutboxRow>({
  database: 'outbox',
  version: 1,
  toRow: (it) => [it.kind, denialToRow(it.denial)],
  fromRow: ([kind, denial]) => ({ kind, denial: denialFromRow(denial) }),
});
