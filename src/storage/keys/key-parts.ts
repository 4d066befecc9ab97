import { isIdShaped } from '../../support/id-shape.ts';

/** An id in a key. */
export const idBytes = 20;
export const secretHashBytes = 32;
export const sequenceBytes = 8;

/** Above every byte that may follow a prefix: UTF-8 and ids have none of 0xFF, a sequence begins with zeros. */
export const aboveAll = Buffer.of(0xff);

export const metaKeys = {
  store: Buffer.from('store', 'latin1'),
  changeLog: Buffer.from('change-log', 'latin1'),
  outbox: Buffer.from('outbox', 'latin1'),
};

const writtenBytesPrefix = 'written/';

/** In `meta`, of what was written. @param holderId whose quota it is: an organisation, or the owner of personal projects */
export function writtenBytesKey(holderId: string): Buffer {
  return Buffer.concat([Buffer.from(writtenBytesPrefix, 'latin1'), idKey(holderId)]);
}

export function isWrittenBytesKey(key: Buffer): boolean {
  return hasPrefix(key, writtenBytesPrefix);
}

const auditAnchorPrefix = 'audit-anchor/';

/** In `meta`, of what was dropped of a ledger. */
export function auditAnchorKey(ledgerId: string): Buffer {
  return Buffer.concat([Buffer.from(auditAnchorPrefix, 'latin1'), idKey(ledgerId)]);
}

export function isAuditAnchorKey(key: Buffer): boolean {
  return hasPrefix(key, auditAnchorPrefix);
}

function hasPrefix(key: Buffer, prefix: string): boolean {
  const text = key.toString('latin1');
  return text.startsWith(prefix) && isIdShaped(text.slice(prefix.length));
}

/** @throws RangeError when `id` is not an id: only what was made by `newId` is ever stored. */
export function idKey(id: string): Buffer {
  if (!isIdShaped(id)) throw new RangeError(`Not an id: ${JSON.stringify(id.slice(0, 64))}`);
  return Buffer.from(id, 'latin1');
}

export function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(sequenceBytes);
  key.writeUInt32BE(Math.floor(sequence / 2 ** 32), 0);
  key.writeUInt32BE(sequence % 2 ** 32, 4);
  return key;
}

/** A project's audience or token. */
export function ownedIdKey(ownerId: string, id: string): Buffer {
  return Buffer.concat([idKey(ownerId), idKey(id)]);
}

/** A ledger's audit entry, a token's activity row. */
export function ownedSequenceKey(ownerId: string, sequence: number): Buffer {
  return Buffer.concat([idKey(ownerId), sequenceKey(sequence)]);
}

export interface KeyRange {
  readonly start: Buffer;
  /** Exclusive. */
  readonly end: Buffer;
}

/** Every key that begins with the id: a project's flags, audiences, tokens; a ledger's or token's rows. */
export function rangeOf(ownerId: string): KeyRange {
  const prefix = idKey(ownerId);
  return { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** Every id after this one. */
export function idsAfter(id: string): Pick<KeyRange, 'start'> {
  return { start: Buffer.concat([idKey(id), Buffer.of(0)]) };
}

export function lastIdKeyOf(key: Buffer): Buffer {
  return key.subarray(-idBytes);
}

/** The id that begins a key: the project of a name, the ledger of an entry, the token of a row. */
export function firstIdOf(key: Buffer): string {
  return key.toString('latin1', 0, idBytes);
}

/** The sequence that ends a key. */
export function sequenceOf(key: Buffer): number {
  return key.readUInt32BE(key.length - 8) * 2 ** 32 + key.readUInt32BE(key.length - 4);
}
