import type { Session } from '../../domain/session/session.ts';
import { checkHash } from '../check/store-walk.ts';
import { findById, findBySecretHash, ownedBy, ownerIndex, secretIndex } from '../record-index.ts';
import { copiedBytes, plain, recordOf } from '../records/record-codec.ts';
import { memberRecord } from './members.ts';
import { replacedTable } from './table.ts';

export const sessionRecord = recordOf<Session>('sessions', {
  id: plain,
  memberId: plain,
  secretHash: copiedBytes,
  createdAt: plain,
  lastSeenAt: plain,
  address: plain,
  userAgent: plain,
});

const sessionSecretIndex = secretIndex<Session>('sessions-by-secret');
const sessionMemberIndex = ownerIndex<Session>('sessions-by-member', ({ memberId }) => memberId);

export const sessionTable = replacedTable({
  kind: 'session',
  codec: sessionRecord,
  indexes: [sessionSecretIndex, sessionMemberIndex],
  answers: {
    session: ({ source }, id) => findById(source, sessionRecord, id),
    sessionBySecretHash: ({ source }, hash) =>
      findBySecretHash(source, sessionSecretIndex, sessionRecord, hash),
    sessionsOf: ({ source }, memberId) => ownedBy(source, sessionMemberIndex, sessionRecord, memberId),
  },
  *examine(walk, { id, memberId, secretHash }) {
    yield* walk.reference(`sessions/${id}`, memberRecord, memberId);
    yield* checkHash(`sessions/${id}`, secretHash);
  },
});
