import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';

/** What the steps of conversations are asked with, and what they answer. None of it leaves the service. */

export interface FindCredentials {
  readonly email: string;
}
export interface Credential {
  readonly memberId: string;
  readonly organisationName: string;
  readonly passwordHash: string;
}
export interface FoundCredentials {
  readonly credentials: readonly Credential[];
}

export interface BeginSession {
  readonly memberId: string;
  /** The hash that the password was checked against. */
  readonly passwordHash: string;
}
/** The secret is for the cookie alone. */
export interface BegunSession {
  readonly memberId: string;
  readonly secret: string;
}

export interface OwnPassword {
  readonly email: string;
  /** Null until one is set. */
  readonly passwordHash: string | null;
}
export interface SetOwnPassword {
  /** The hash that the former password was checked against; null when there was none. */
  readonly checkedHash: string | null;
  readonly passwordHash: string;
}

export interface ConsumeLink {
  readonly secret: string;
  /** Of a new member, as it is stored. */
  readonly name: string | null;
  readonly email: string | null;
  /** Null sets none. */
  readonly passwordHash: string | null;
}

/** Whom an OpenID provider has vouched for. */
export interface OpenIdPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** The provider says that the person has the email. */
  readonly isEmailVerified: boolean;
  /** What a new member may be called, the best first. */
  readonly names: readonly string[];
}
export interface BeginOpenIdSession extends OpenIdPerson {
  /** Of the one-time link that the sign-in began with. */
  readonly linkSecret: string | null;
}
export type BegunOpenIdSession =
  | { readonly begun: BegunSession; readonly refusal: null }
  | { readonly begun: null; readonly refusal: OpenIdRefusal };
