import { createHash } from 'node:crypto';

/** SHA-256. @returns 32 bytes. */
export function hashBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
