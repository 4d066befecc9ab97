import type { Denial } from '../../domain/token/denial.ts';
import { type DenialRow, denialFromRow, denialToRow } from './denial-row.ts';
import { recordCodec } from './record-codec.ts';

export const activityRecord = recordCodec<Denial, DenialRow>({
  database: 'activity',
  version: 1,
  toRow: denialToRow,
  fromRow: denialFromRow,
});
