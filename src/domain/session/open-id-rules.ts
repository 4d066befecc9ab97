import { isWellFormed } from '../../support/code-points.ts';
import { isEmailAddress, type Member } from '../member/member.ts';
import { isName } from '../name-rules.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Identity } from './identity.ts';

/** Of one member, one for each issuer; the oldest makes room. */
export const identitiesMax = 10;

/** Joins an identity, which nobody has, to a member. The one that the member had at the same issuer ends. */
export function joinIdentity(queries: RecordQueries, after: Identity): readonly RecordChange[] {
  const own = [...queries.identitiesOf(after.memberId)].sort((one, other) => one.createdAt - other.createdAt);
  const others = own.filter(({ issuer }) => issuer !== after.issuer);
  const surplus = others.slice(0, Math.max(0, others.length - (identitiesMax - 1)));
  const ended = own.filter((identity) => identity.issuer === after.issuer || surplus.includes(identity));
  const ends = ended.map((before): RecordChange => ({ kind: 'identity', before, after: null }));
  return [...ends, { kind: 'identity', before: null, after }];
}

export function hasIdentityAt(queries: RecordQueries, memberId: string, issuer: string): boolean {
  for (const identity of queries.identitiesOf(memberId)) if (identity.issuer === issuer) return true;
  return false;
}

/**
 * The members whose email this is, of any organisation. Of letters beyond ASCII the case counts here, as it does not
 * elsewhere: a Kelvin sign in lower case is a k, and the owner of an address with one at a provider is another person.
 *
 * @param email that the provider says is verified
 */
export function findByVerifiedEmail(queries: RecordQueries, email: string): readonly Member[] {
  if (!isEmailAddress(email)) return [];
  return [...queries.membersByEmail(email)].filter(
    (member) => asciiLower(member.email) === asciiLower(email),
  );
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const unnamed = 'New member';

/** @returns the first of these that can be a member's name, trimmed; Admins can change it. */
export function entrantName(names: readonly string[]): string {
  const trimmed = names.map((name) => name.trim());
  return trimmed.find((name) => isName(name) && isWellFormed(name)) ?? unnamed;
}

/** Why somebody who came back from the OpenID provider is not signed in. The sign-in page has a sentence for each. */
export const openIdRefusals = [
  /** The person, or the provider on their behalf, said no. */
  'denied',
  /** No sign-in of this browser is waiting: too late, used already, or begun elsewhere. */
  'expired',
  /** What the provider answered does not hold. */
  'provider-failed',
  'provider-unreachable',
  /** The service itself could not finish it now. */
  'unavailable',
  'email-not-verified',
  'not-a-member',
  /** Members of several organisations have the email. */
  'several-members',
  /** The member with the email signs in with another account of the same provider. */
  'other-account',
  /** The account that came with a link signs somebody else in. */
  'account-taken',
  'link-over',
  /** A member of the organisation has the email of the link. */
  'email-taken',
  'organisation-full',
] as const;
export type OpenIdRefusal = (typeof openIdRefusals)[number];
