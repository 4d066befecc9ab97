import { createHash } from 'node:crypto';
import { idBytes, idKey } from './key-parts.ts';

/** Of fixed length, whatever a provider calls its people; hexadecimal, because no key that is a suffix may begin with 0xFF. */
export function identityKey(issuer: string, subject: string): Buffer {
  return Buffer.from(createHash('sha256').update(`${issuer}\0${subject}`, 'utf8').digest('hex'), 'latin1');
}

export function memberIdentityKey(memberId: string, key: Buffer): Buffer {
  return Buffer.concat([idKey(memberId), key]);
}

/** The identity's key, which ends its key by member. */
export function identityKeyOf(memberKey: Buffer): Buffer {
  return memberKey.subarray(idBytes);
}
