import type { Session } from '../../domain/session/session.ts';
import { recordCodec } from './record-codec.ts';

type SessionRow = readonly [
  id: string,
  memberId: string,
  secretHash: Uint8Array,
  createdAt: number,
  lastSeenAt: number,
  address: string,
  userAgent: string,
];

export const sessionRecord = recordCodec<Session, SessionRow>({
  database: 'sessions',
  version: 1,
  toRow: (it) => [it.id, it.memberId, it.secretHash, it.createdAt, it.lastSeenAt, it.address, it.userAgent],
  fromRow: ([id, memberId, secretHash, createdAt, lastSeenAt, address, userAgent]) => ({
    id,
    memberId,
    // A copy: what msgpack returns is a view of the whole record.
    secretHash: new Uint8Array(secretHash),
    createdAt,
    lastSeenAt,
    address,
    userAgent,
  }),
});
