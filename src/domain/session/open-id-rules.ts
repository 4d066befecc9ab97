import { isWellFormed } from '../../support/code-points.ts';
import { identitiesMax } from '../bounds.ts';
import { isEmailAddress, type Member } from '../member/member.ts';
import { isName } from '../name-rules.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Identity } from './identity.ts';

/** Joins an identity, which no member has, to a member. The member's former identity at the same issuer ends. */
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
 * The members with this email, of any organisation. Unlike elsewhere, the case of letters beyond ASCII counts here: a
 * Kelvin sign in lower case is a k, and a provider may give the two addresses to different people.
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

/** @returns the first of these that is a valid name, trimmed; Admins can change it. */
export function entrantName(names: readonly string[]): string {
  const trimmed = names.map((name) => name.trim());
  return trimmed.find((name) => isName(name) && isWellFormed(name)) ?? unnamed;
}

/**
 * Why a person who returned from the OpenID provider is not signed in. The sign-in page has a sentence for each reason.
 */
export const openIdRefusals = [
  /** The person, or the provider on their behalf, refused. */
  'denied',
  /** This browser has no pending sign-in: it is too late, was used already, or was begun in another browser. */
  'expired',
  /** The provider's answer is not valid. */
  'provider-failed',
  'provider-unreachable',
  /** The service could not finish the sign-in now. */
  'unavailable',
  'email-not-verified',
  'not-a-member',
  /** Members of several organisations have the email. */
  'several-members',
  /** The member with the email signs in with another account of the same provider. */
  'other-account',
  /** The account that followed a link already signs in another member. */
  'account-taken',
  'link-over',
  /** A member of the organisation has the email of the link already. */
  'email-taken',
  'organisation-full',
] as const;
export type OpenIdRefusal = (typeof openIdRefusals)[number];
