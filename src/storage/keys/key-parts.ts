import { isIdShaped } from '../../support/id-shape.ts';

/** An id in a key. */
export const idBytes = 20;
export const secretHashBytes = 32;
export const sequenceBytes = 8;
/** 200 code points of at most 4 bytes. */
const nameBytesMax = 800;
const textEnd = Buffer.of(0);

/** Above every byte that may follow a prefix: UTF-8 and ids never contain 0xFF, and a sequence begins with zeros. */
export const aboveAll = Buffer.of(0xff);

/** @throws RangeError when `id` is not an id: only results of `newId` are ever stored. */
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

/**
 * A name or an email in a key, with its end mark; null when no valid one looks like this: it is too long, or contains
 * the end mark.
 */
export function textPart(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length > nameBytesMax || bytes.includes(0) ? null : Buffer.concat([bytes, textEnd]);
}

/** The key of a project's audience or token. */
export function ownedIdKey(ownerId: string, id: string): Buffer {
  return Buffer.concat([idKey(ownerId), idKey(id)]);
}

/** The key of a ledger's audit entry, or of a token's activity row. */
export function ownedSequenceKey(ownerId: string, sequence: number): Buffer {
  return Buffer.concat([idKey(ownerId), sequenceKey(sequence)]);
}

export interface KeyRange {
  readonly start: Buffer;
  /** Exclusive. */
  readonly end: Buffer;
}

/** Every key that begins with these bytes. */
export function prefixRange(prefix: Buffer): KeyRange {
  return { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** Every key that begins with the id: a project's flags, audiences, tokens; a ledger's or token's rows. */
export function rangeOf(ownerId: string): KeyRange {
  return prefixRange(idKey(ownerId));
}

/** Every id after this one. */
export function idsAfter(id: string): Pick<KeyRange, 'start'> {
  return { start: Buffer.concat([idKey(id), Buffer.of(0)]) };
}

export function lastIdKeyOf(key: Buffer): Buffer {
  return key.subarray(-idBytes);
}

/** The id with which a key begins: the project of a name, the ledger of an entry, the token of a row. */
export function firstIdOf(key: Buffer): string {
  return key.toString('latin1', 0, idBytes);
}

/** The sequence at the end of a key. */
export function sequenceOf(key: Buffer): number {
  return key.readUInt32BE(key.length - 8) * 2 ** 32 + key.readUInt32BE(key.length - 4);
}

/** A key in readable form, for findings and errors. */
export function describeKey(key: Uint8Array): string {
  const bytes = Buffer.from(key);
  if (bytes.length === sequenceBytes && bytes[0] === 0) return String(sequenceOf(bytes));
  if (bytes.length === idBytes + sequenceBytes && bytes[idBytes] === 0)
    return `${firstIdOf(bytes)}/${sequenceOf(bytes)}`;
  if (bytes.length === 2 * idBytes + sequenceBytes && bytes[2 * idBytes] === 0) {
    return `${firstIdOf(bytes)}/${lastIdOf(bytes.subarray(0, 2 * idBytes))}/${sequenceOf(bytes)}`;
  }
  if (bytes.length === 2 * idBytes) return `${firstIdOf(bytes)}/${lastIdOf(bytes)}`;
  const text = bytes.toString('utf8').replaceAll('\0', '/');
  return /[\p{C}\ufffd]/u.test(text) ? bytes.toString('hex') : text;
}

function lastIdOf(key: Buffer): string {
  return lastIdKeyOf(key).toString('latin1');
}
