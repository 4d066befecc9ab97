import { isIdempotencyKey } from '../../domain/idempotency/idempotency-key.ts';
import { firstIdOf, idBytes, idKey, sequenceBytes, sequenceKey, sequenceOf } from './key-parts.ts';

const keptAnswerKeyStart = idBytes + sequenceBytes;

/** @throws RangeError when `key` is no idempotency key: only what was checked is ever stored. */
export function keptAnswerKey(tokenId: string, key: string): Buffer {
  if (!isIdempotencyKey(key)) throw new RangeError('Not an idempotency key');
  return Buffer.concat([idKey(tokenId), Buffer.from(key, 'latin1')]);
}

export function keptAnswerAgeKey(projectId: string, keptAt: number, tokenId: string, key: string): Buffer {
  return Buffer.concat([idKey(projectId), sequenceKey(keptAt), keptAnswerKey(tokenId, key)]);
}

/** What a key by age consists of. */
export function readKeptAnswerAgeKey(key: Buffer) {
  const tokenEnd = keptAnswerKeyStart + idBytes;
  return {
    projectId: firstIdOf(key),
    keptAt: sequenceOf(key.subarray(idBytes, keptAnswerKeyStart)),
    tokenId: key.toString('latin1', keptAnswerKeyStart, tokenEnd),
    key: key.toString('latin1', tokenEnd),
  };
}

/** The record's key, which ends its key by age. */
export function keptAnswerKeyOf(ageKey: Buffer): Buffer {
  return ageKey.subarray(keptAnswerKeyStart);
}
