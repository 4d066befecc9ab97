import { aboveAll, idKey, type KeyRange } from './key-parts.ts';

/** 200 code points of at most 4 bytes. */
const nameBytesMax = 800;
const nameEnd = Buffer.of(0);

/** @throws RangeError when no valid name looks like this: it is too long, or holds the character that ends a name. */
export function flagNameKey(projectId: string, name: string, flagId: string): Buffer {
  const prefix = flagNamePrefix(projectId, name);
  if (prefix === null) throw new RangeError('This flag name has no place in the index');
  return Buffer.concat([prefix, idKey(flagId)]);
}

function flagNamePrefix(projectId: string, name: string): Buffer | null {
  const nameBytes = Buffer.from(name, 'utf8');
  if (nameBytes.length > nameBytesMax || nameBytes.includes(0)) return null;
  return Buffer.concat([idKey(projectId), nameBytes, nameEnd]);
}

/** The keys of a project's flags of exactly this name; null when no flag can have it. */
export function flagNameRange(projectId: string, name: string): KeyRange | null {
  const prefix = flagNamePrefix(projectId, name);
  return prefix === null ? null : { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** @throws RangeError when no valid email looks like this. */
export function memberEmailKey(email: string, memberId: string): Buffer {
  const prefix = memberEmailPrefix(email);
  if (prefix === null) throw new RangeError('This email has no place in the index');
  return Buffer.concat([prefix, idKey(memberId)]);
}

function memberEmailPrefix(email: string): Buffer | null {
  const bytes = Buffer.from(email.toLowerCase(), 'utf8');
  if (bytes.length === 0 || bytes.length > nameBytesMax || bytes.includes(0)) return null;
  return Buffer.concat([bytes, nameEnd]);
}

/** The keys of the members with this email, in whatever case; null when no member can have it. */
export function memberEmailRange(email: string): KeyRange | null {
  const prefix = memberEmailPrefix(email);
  return prefix === null ? null : { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}
