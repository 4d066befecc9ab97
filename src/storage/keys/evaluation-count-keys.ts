import { idKey, sequenceBytes, sequenceKey, sequenceOf } from './key-parts.ts';

/** A flag's answers in an hour: all of an hour lie together, and the oldest hour first. */
export function hourFlagKey(hour: number, flagId: string): Buffer {
  return Buffer.concat([sequenceKey(hour), idKey(flagId)]);
}

export function readHourFlagKey(key: Buffer): { readonly hour: number; readonly flagId: string } {
  return { hour: sequenceOf(key.subarray(0, sequenceBytes)), flagId: key.toString('latin1', sequenceBytes) };
}
