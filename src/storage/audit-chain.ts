import { hash } from 'node:crypto';

/** What the first entry of a ledger names as its previous hash. */
export const chainStart: Uint8Array = new Uint8Array(32);

/** SHA-256 of the previous hash followed by the encoded entry. */
export function chainHash(previousHash: Uint8Array, encodedEntry: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([previousHash, encodedEntry]), 'buffer');
}
