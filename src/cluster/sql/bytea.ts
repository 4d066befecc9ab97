/** The type's number in PostgreSQL's catalogue. */
const byteaType = 17;
const headerBytes = 20;

/**
 * A `bytea[]` in PostgreSQL's binary format. The driver sends a Buffer unchanged, but an array of Buffers as
 * hexadecimal text.
 * @see https://www.postgresql.org/docs/current/protocol.html, and `array_recv` in PostgreSQL's source
 */
export function byteaArray(items: readonly Buffer[]): Buffer {
  const length = items.reduce((sum, item) => sum + 4 + item.length, items.length === 0 ? 12 : headerBytes);
  const bytes = Buffer.allocUnsafe(length);
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0); // dimensions
  bytes.writeInt32BE(0, 4); // no nulls
  bytes.writeInt32BE(byteaType, 8);
  if (items.length === 0) return bytes;
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16); // the index of the first
  let at = headerBytes;
  for (const item of items) {
    at = bytes.writeInt32BE(item.length, at);
    at += item.copy(bytes, at);
  }
  return bytes;
}

/** @param text of a `bytea` as PostgreSQL gives it with `bytea_output` = hex */
export function parseBytea(text: string): Buffer {
  const bytes = Buffer.from(text.slice(2), 'hex');
  if (!text.startsWith('\\x') || bytes.length * 2 !== text.length - 2)
    throw new Error('a bytea is not in hexadecimal');
  return bytes;
}

/** Positions, counts and times: exact as numbers up to 2^53. @throws RangeError beyond */
export function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`a bigint of PostgreSQL is beyond 2^53: ${text}`);
  return value;
}
