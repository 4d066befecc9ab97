import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import { identityKey } from '../keys/identity-keys.ts';
import { secretHashBytes } from '../keys/key-parts.ts';
import {
  identityMemberIndex,
  linkOrganisationIndex,
  linkSecretIndex,
  sessionMemberIndex,
  sessionSecretIndex,
} from '../record-indexes.ts';
import { memberIdentityRecord } from '../records/member-identity-record.ts';
import { memberRecord } from '../records/member-record.ts';
import { oneTimeLinkRecord } from '../records/one-time-link-record.ts';
import { organisationRecord } from '../records/organisation-record.ts';
import { sessionRecord } from '../records/session-record.ts';
import { type Finding, findingAt } from './finding.ts';
import { reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Sessions, one-time links and identities: each found by its secret or name, and a member's or organisation's that is there. */
export function* checkSessions(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(sessionRecord, function* ({ key, record }) {
    const where = `sessions/${record.id}`;
    if (record.id !== key.toString('latin1'))
      yield findingAt('sessions', key, `is the record of ${record.id}`);
    yield* walk.indexed(sessionSecretIndex, record);
    yield* walk.indexed(sessionMemberIndex, record);
    yield* reference(walk, where, memberRecord, record.memberId);
    yield* checkHash(where, record.secretHash);
  });
  yield* walk.index(sessionSecretIndex, sessionRecord);
  yield* walk.index(sessionMemberIndex, sessionRecord);
  yield* walk.records(oneTimeLinkRecord, function* ({ key, record }) {
    if (record.id !== key.toString('latin1')) yield findingAt('links', key, `is the record of ${record.id}`);
    yield* walk.indexed(linkSecretIndex, record);
    yield* walk.indexed(linkOrganisationIndex, record);
    yield* checkLink(walk, record);
  });
  yield* walk.index(linkSecretIndex, oneTimeLinkRecord);
  yield* walk.index(linkOrganisationIndex, oneTimeLinkRecord);
  yield* checkIdentities(walk);
}

function* checkLink(walk: StoreWalk, link: OneTimeLink): Generator<Finding> {
  const where = `links/${link.id}`;
  const memberId = link.purpose.kind === 'sign-in' ? link.purpose.memberId : null;
  if (memberId !== null) yield* reference(walk, where, memberRecord, memberId);
  // A person who is in no organisation keeps their own.
  if (link.organisationId !== memberId) {
    yield* reference(walk, where, organisationRecord, link.organisationId);
  }
  yield* checkHash(where, link.secretHash);
}

function* checkIdentities(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(memberIdentityRecord, function* ({ key, record }) {
    if (!identityKey(record.issuer, record.subject).equals(key)) {
      yield findingAt('identities', key, 'is the record of another identity');
    }
    yield* walk.indexed(identityMemberIndex, record);
    yield* reference(walk, findingAt('identities', key, '').where, memberRecord, record.memberId);
  });
  yield* walk.index(identityMemberIndex, memberIdentityRecord);
}

function* checkHash(where: string, hash: Uint8Array): Generator<Finding> {
  if (hash.length !== secretHashBytes) yield { where, what: `has a secret hash of ${hash.length} bytes` };
}
