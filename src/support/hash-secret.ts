import { createHash, hash } from 'node:crypto';

/**
 * SHA-256 of a secret. One round without salt is enough: a token secret has 256 random bits, so it cannot be guessed,
 * and the token is looked up by the hash.
 *
 * @returns 32 bytes.
 */
export function hashSecret(secret: string): Uint8Array {
  return new Uint8Array(hash('sha256', secret, 'buffer'));
}

/** SHA-256. @returns 32 bytes. */
export function hashBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
