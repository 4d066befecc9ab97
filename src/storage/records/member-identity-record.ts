import type { Identity } from '../../domain/session/identity.ts';
import { recordCodec } from './record-codec.ts';

type IdentityRow = readonly [issuer: string, subject: string, memberId: string, createdAt: number];

export const memberIdentityRecord = recordCodec<Identity, IdentityRow>({
  database: 'identities',
  version: 1,
  toRow: (it) => [it.issuer, it.subject, it.memberId, it.createdAt],
  fromRow: ([issuer, subject, memberId, createdAt]) => ({ issuer, subject, memberId, createdAt }),
});
