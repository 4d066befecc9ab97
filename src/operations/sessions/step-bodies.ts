import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';
import type { PendingSignIn } from './open-id/sealed-sign-in.ts';

/** Bodies and answers of the steps of conversations. They stay within the service. */

export interface FindCredentials {
  readonly email: string;
}
export interface Credential {
  readonly passwordHash: string;
  readonly memberId: string;
  readonly organisationName: string;
}
export interface FoundCredentials {
  /** Members with the email, also those without a password: at most as many as credentials. */
  readonly memberIds: readonly string[];
  readonly credentials: readonly Credential[];
  /** Whether one of the members has a live session that was opened at the address of the request. */
  readonly isKnownAddress: boolean;
}

export interface BeginSession {
  readonly memberId: string;
  /** The hash against which the password was checked. */
  readonly passwordHash: string;
}
/** The secret is for the cookie only. */
export interface BegunSession {
  readonly memberId: string;
  readonly secret: string;
}

export interface OwnPassword {
  readonly email: string;
  /** Null for a member without a password. */
  readonly passwordHash: string | null;
}
export interface SetOwnPassword {
  /** The hash against which the former password was checked; null when there was none. */
  readonly checkedHash: string | null;
  readonly passwordHash: string;
}

export interface ConsumeLink {
  readonly secret: string;
  /** Of a new member, as it is stored. */
  readonly name: string | null;
  readonly email: string | null;
  /** The organisation's name, from its first Owner; null keeps it. */
  readonly organisation: string | null;
  /** Null sets no password. */
  readonly passwordHash: string | null;
}

export interface SignInKey {
  /** Null before the first sign-in at a provider. */
  readonly key: string | null;
}
export interface FindPendingSignIn {
  readonly state: string;
  /** Of the cookie of that state. */
  readonly sealed: readonly string[];
}
export interface FoundPendingSignIn {
  readonly signIn: PendingSignIn | null;
}

/** The person that an OpenID provider has vouched for. */
export interface OpenIdPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider says that the person owns the email. */
  readonly isEmailVerified: boolean;
  /** Names for a new member, the best first. */
  readonly names: readonly string[];
}
export interface BeginOpenIdSession extends OpenIdPerson {
  /** Of the sign-in at the provider, with which one session begins. */
  readonly state: string;
  readonly begunAt: number;
  /** The secret of the one-time link with which the sign-in began. */
  readonly linkSecret: string | null;
  /** The organisation's name, from its first Owner; null keeps it. */
  readonly organisation: string | null;
}
export type BegunOpenIdSession =
  | { readonly begun: BegunSession; readonly refusal: null }
  | { readonly begun: null; readonly refusal: OpenIdRefusal };
