import { firstIdOf, idBytes, lastIdKeyOf, sequenceBytes, sequenceOf } from './key-parts.ts';

/** The id that ends a key: the flag of a name, the audience or token of a project. */
function lastIdOf(key: Buffer): string {
  return lastIdKeyOf(key).toString('latin1');
}

/** A key as people read it in a finding or an error. */
export function describeKey(key: Uint8Array): string {
  const bytes = Buffer.from(key);
  if (bytes.length === sequenceBytes) return String(sequenceOf(bytes));
  if (bytes.length === idBytes + sequenceBytes && bytes[idBytes] === 0)
    return `${firstIdOf(bytes)}/${sequenceOf(bytes)}`;
  if (bytes.length === 2 * idBytes + sequenceBytes && bytes[2 * idBytes] === 0) {
    return `${firstIdOf(bytes)}/${lastIdOf(bytes.subarray(0, 2 * idBytes))}/${sequenceOf(bytes)}`;
  }
  if (bytes.length === 2 * idBytes) return `${firstIdOf(bytes)}/${lastIdOf(bytes)}`;
  const text = bytes.toString('utf8').replaceAll('\0', '/');
  return /[\p{C}\ufffd]/u.test(text) ? bytes.toString('hex') : text;
}
