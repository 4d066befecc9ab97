import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { isPending } from '../../../domain/session/used-sign-in.ts';

/** Secrets of a sign-in that only the browser which began it, and this service, know. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A sign-in whose browser is at the provider and has yet to return. */
export interface PendingSignIn extends SignInProof {
  /** Unix milliseconds. */
  readonly begunAt: number;
  /** The secret of the one-time link with which it began. */
  readonly linkSecret: string | null;
  /** The name that the first Owner gives the organisation; null for none. */
  readonly organisation: string | null;
  /** The page of the console to open then. */
  readonly back: string;
  /** The address to which the attempt counts, until it succeeds. */
  readonly limitKey: string;
}

const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** The purpose of the store's key: another use, or a new form of the content, needs another name. */
const purpose = 'burgee sign-in by OpenID Connect, 1';

/** The sealed part. The rest is derived from the state and the key, so that a browser can keep many sign-ins. */
type SealedRow = readonly [
  begunAt: number,
  linkSecret: string | null,
  back: string,
  limitKey: string,
  /** An earlier version sealed none. */
  organisation?: string | null,
];

/** @returns the secrets of a sign-in with this state; @param key of the store */
export function proofOf(state: string, key: string): SignInProof {
  const secretFor = (use: string): string =>
    Buffer.from(hkdfSync('sha256', key, state, `${purpose}: ${use}`, 32)).toString('base64url');
  return { state, nonce: secretFor('nonce'), codeVerifier: secretFor('code verifier') };
}

/**
 * Seals a sign-in for its browser, which keeps it in a cookie: it cannot be read or changed there, and every node with
 * the same store opens it.
 * @returns base64url: nonce, ciphertext, tag
 */
export function sealSignIn(signIn: PendingSignIn, key: string): string {
  const { state, begunAt, linkSecret, organisation, back, limitKey } = signIn;
  const row: SealedRow = [begunAt, linkSecret, back, limitKey, organisation];
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, cipherKey(key), nonce).setAAD(Buffer.from(state));
  const sealed = [nonce, cipher.update(JSON.stringify(row), 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** @returns null when it was not sealed with this key and state, or is too old */
export function openSignIn(sealed: string, state: string, key: string, now: number): PendingSignIn | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv(cipherName, cipherKey(key), bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(state))
    .setAuthTag(bytes.subarray(-tagBytes));
  let text: string;
  try {
    text = decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
  // Content that a key of this store has sealed has this shape.
  const [begunAt, linkSecret, back, limitKey, organisation = null] = JSON.parse(text) as SealedRow;
  if (!isPending({ begunAt }, now)) return null;
  return { ...proofOf(state, key), begunAt, linkSecret, organisation, back, limitKey };
}

function cipherKey(key: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', purpose, 32));
}
