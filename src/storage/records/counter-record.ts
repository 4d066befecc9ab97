import { recordCodec } from './record-codec.ts';

/** The last number given in a sequence whose entries may all be gone. */
export const counterRecord = recordCodec<number, readonly [last: number]>({
  database: 'meta',
  version: 1,
  toRow: (last) => [last],
  fromRow: ([last]) => last,
});
