import type { Audience } from '../domain/evaluation/audience.ts';
import type { Flag } from '../domain/flag/flag.ts';
import type { KeptAnswerHead } from '../domain/idempotency/kept-answer.ts';
import type { Member } from '../domain/member/member.ts';
import type { Identity } from '../domain/session/identity.ts';
import type { OneTimeLink } from '../domain/session/one-time-link.ts';
import type { Session } from '../domain/session/session.ts';
import type { Token } from '../domain/token/token.ts';
import { identityKey, identityKeyOf, memberIdentityKey } from './keys/identity-keys.ts';
import { keptAnswerAgeKey, keptAnswerKeyOf } from './keys/kept-answer-keys.ts';
import { idKey, lastIdKeyOf, ownedIdKey, sequenceKey } from './keys/key-parts.ts';
import { flagNameKey, memberEmailKey } from './keys/name-keys.ts';
import type { DatabaseName } from './keys.ts';

/** What an index holds for one record, and which record an entry of it names. */
export interface RecordIndex<T> {
  readonly database: DatabaseName;
  keyOf(record: T): Buffer;
  /** Whether both have the same key: cheaper than to make both keys. */
  hasSameKey(before: T, after: T): boolean;
  valueOf(record: T): Buffer;
  recordKeyOf(entry: { readonly key: Buffer; readonly bytes: Buffer }): Buffer;
}

const empty = Buffer.alloc(0);

interface Owned {
  readonly projectId: string;
  readonly id: string;
}

function isSameOwned(before: Owned, after: Owned): boolean {
  return before.id === after.id && before.projectId === after.projectId;
}

export const flagIndex: RecordIndex<Flag> = {
  database: 'flags-by-name',
  keyOf: ({ projectId, name, id }) => flagNameKey(projectId, name, id),
  hasSameKey: (before, after) => isSameOwned(before, after) && before.name === after.name,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const audienceIndex: RecordIndex<Audience> = {
  database: 'audiences-by-project',
  keyOf: ({ projectId, id }) => ownedIdKey(projectId, id),
  hasSameKey: isSameOwned,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const tokenIndex: RecordIndex<Token> = {
  database: 'tokens-by-project',
  keyOf: ({ projectId, id }) => ownedIdKey(projectId, id),
  hasSameKey: isSameOwned,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const tokenSecretIndex: RecordIndex<Token> = {
  database: 'tokens-by-secret-hash',
  keyOf: ({ secretHash }) => Buffer.from(secretHash),
  hasSameKey: (before, after) => Buffer.compare(before.secretHash, after.secretHash) === 0,
  valueOf: ({ id }) => idKey(id),
  recordKeyOf: ({ bytes }) => bytes,
};

export const memberEmailIndex: RecordIndex<Member> = {
  database: 'members-by-email',
  keyOf: ({ email, id }) => memberEmailKey(email, id),
  hasSameKey: (before, after) => before.email === after.email,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const sessionSecretIndex: RecordIndex<Session> = {
  database: 'sessions-by-secret',
  keyOf: ({ secretHash }) => Buffer.from(secretHash),
  hasSameKey: (before, after) => Buffer.compare(before.secretHash, after.secretHash) === 0,
  valueOf: ({ id }) => idKey(id),
  recordKeyOf: ({ bytes }) => bytes,
};

export const sessionMemberIndex: RecordIndex<Session> = {
  database: 'sessions-by-member',
  keyOf: ({ memberId, id }) => ownedIdKey(memberId, id),
  hasSameKey: (before, after) => before.memberId === after.memberId,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const linkSecretIndex: RecordIndex<OneTimeLink> = {
  database: 'links-by-secret',
  keyOf: ({ secretHash }) => Buffer.from(secretHash),
  hasSameKey: (before, after) => Buffer.compare(before.secretHash, after.secretHash) === 0,
  valueOf: ({ id }) => idKey(id),
  recordKeyOf: ({ bytes }) => bytes,
};

export const linkOrganisationIndex: RecordIndex<OneTimeLink> = {
  database: 'links-by-organisation',
  keyOf: ({ organisationId, id }) => ownedIdKey(organisationId, id),
  hasSameKey: (before, after) => before.organisationId === after.organisationId,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => lastIdKeyOf(key),
};

export const identityMemberIndex: RecordIndex<Identity> = {
  database: 'identities-by-member',
  keyOf: ({ memberId, issuer, subject }) => memberIdentityKey(memberId, identityKey(issuer, subject)),
  hasSameKey: (before, after) =>
    before.memberId === after.memberId && before.issuer === after.issuer && before.subject === after.subject,
  valueOf: () => empty,
  recordKeyOf: ({ key }) => identityKeyOf(key),
};

/** A project's kept answers, oldest first. */
export const keptAnswerIndex: RecordIndex<KeptAnswerHead> = {
  database: 'kept-answers-by-age',
  keyOf: ({ projectId, keptAt, tokenId, key }) => keptAnswerAgeKey(projectId, keptAt, tokenId, key),
  hasSameKey: (before, after) => keptAnswerIndex.keyOf(before).equals(keptAnswerIndex.keyOf(after)),
  valueOf: ({ bytes }) => sequenceKey(bytes),
  recordKeyOf: ({ key }) => keptAnswerKeyOf(key),
};
