import type { Member } from '../domain/member/member.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { identityKey, identityKeyOf } from './keys/identity-keys.ts';
import { lastIdKeyOf, rangeOf } from './keys/key-parts.ts';
import { memberEmailRange } from './keys/name-keys.ts';
import { findById, findBySecretHash, indexed, ownedBy } from './record-look-ups.ts';
import type { RecordSource } from './record-source.ts';
import { memberIdentityRecord } from './records/member-identity-record.ts';
import { memberRecord } from './records/member-record.ts';
import { oneTimeLinkRecord } from './records/one-time-link-record.ts';
import { sessionRecord } from './records/session-record.ts';

type SessionQueries = Pick<
  RecordQueries,
  | 'membersByEmail'
  | 'session'
  | 'sessionBySecretHash'
  | 'sessionsOf'
  | 'oneTimeLink'
  | 'oneTimeLinkBySecretHash'
  | 'oneTimeLinksOf'
  | 'identity'
  | 'identitiesOf'
>;

/** The questions about who is signed in, and how one may sign in. */
export function sessionQueries(source: RecordSource): SessionQueries {
  return {
    membersByEmail: (email) => membersByEmail(source, email),
    session: (id) => findById(source, sessionRecord, id),
    sessionBySecretHash: (hash) => findBySecretHash(source, 'sessions-by-secret', sessionRecord, hash),
    sessionsOf: (memberId) => ownedBy(source, 'sessions-by-member', sessionRecord, memberId),
    oneTimeLink: (id) => findById(source, oneTimeLinkRecord, id),
    oneTimeLinkBySecretHash: (hash) => findBySecretHash(source, 'links-by-secret', oneTimeLinkRecord, hash),
    oneTimeLinksOf: (id) => ownedBy(source, 'links-by-organisation', oneTimeLinkRecord, id),
    identity: (issuer, subject) => source.find(memberIdentityRecord, identityKey(issuer, subject)),
    identitiesOf: (memberId) =>
      isIdShaped(memberId)
        ? indexed(source, 'identities-by-member', memberIdentityRecord, rangeOf(memberId), identityKeyOf)
        : [],
  };
}

function membersByEmail(source: RecordSource, email: string): Iterable<Member> {
  const range = memberEmailRange(email);
  return range === null ? [] : indexed(source, 'members-by-email', memberRecord, range, lastIdKeyOf);
}
