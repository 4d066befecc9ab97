import type { OpenIdPerson } from '../step-bodies.ts';
import { OpenIdFault } from './open-id-fault.ts';

/** OpenID Connect Core 5.7: a subject has at most 255 ASCII characters. */
const subjectCharsMax = 255;
/** Longer texts are neither names nor emails. */
const textCharsMax = 1024;

/**
 * @param claims of a checked ID token, and of the user info
 * @throws OpenIdFault when they do not identify a person
 */
export function personOf(claims: Readonly<Record<string, unknown>>): OpenIdPerson {
  const { iss: issuer, sub: subject } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !isSubject(subject)) {
    throw new OpenIdFault(
      'provider-failed',
      'the ID token has no subject of 1 to 255 visible ASCII characters',
    );
  }
  const email = textOf(claims['email']);
  const names = ['name', 'preferred_username', 'nickname'].map((name) => textOf(claims[name]));
  return {
    issuer,
    subject,
    email,
    // Some providers give it as a string.
    isEmailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    names: [...names, email].filter((name) => name !== null),
  };
}

function isSubject(text: string): boolean {
  return text.length <= subjectCharsMax && /^[\x20-\x7e]+$/.test(text);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= textCharsMax ? value : null;
}
