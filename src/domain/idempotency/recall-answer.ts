import type { RecordQueries } from '../record-queries.ts';
import { isForgettable, type KeptAnswer } from './kept-answer.ts';

/** A create that may be a repetition. */
export interface RepeatableRequest {
  readonly tokenId: string;
  readonly key: string;
  /** SHA-256 of its body, 32 bytes. */
  readonly hash: Uint8Array;
}

export type Recall =
  | { readonly kind: 'first' }
  | { readonly kind: 'repeated'; readonly answer: KeptAnswer }
  /** The key was used for something else. */
  | { readonly kind: 'other-body' };

/** @param now Unix milliseconds. */
export function recallAnswer(queries: RecordQueries, request: RepeatableRequest, now: number): Recall {
  const answer = queries.keptAnswer(request.tokenId, request.key);
  if (answer === undefined || isForgettable(answer, now)) return { kind: 'first' };
  return isSame(answer.requestHash, request.hash) ? { kind: 'repeated', answer } : { kind: 'other-body' };
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
