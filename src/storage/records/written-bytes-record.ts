import { recordCodec } from './record-codec.ts';

/** What the changes of one day have written to a ledger's organisation or personal project. */
export interface WrittenBytes {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly bytes: number;
}

export const writtenBytesRecord = recordCodec<WrittenBytes, readonly [day: number, bytes: number]>({
  database: 'meta',
  version: 1,
  toRow: (it) => [it.day, it.bytes],
  fromRow: ([day, bytes]) => ({ day, bytes }),
});
