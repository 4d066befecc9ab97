import { recordCodec } from './record-codec.ts';

/** The newest entry of a ledger that was dropped: the oldest one that is kept continues the chain from it. */
export interface AuditAnchor {
  readonly sequence: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

export const auditAnchorRecord = recordCodec<AuditAnchor, readonly [sequence: number, hash: Uint8Array]>({
  database: 'meta',
  version: 1,
  toRow: (it) => [it.sequence, it.hash],
  fromRow: ([sequence, hash]) => ({ sequence, hash }),
});
