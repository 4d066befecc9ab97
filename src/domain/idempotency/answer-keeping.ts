import { idempotencyKeyLengthMax, keptAnswersMax } from '../bounds.ts';
import type { ProblemList } from '../problem-list.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import {
  changeUsage,
  fitsIn,
  isForgettable,
  type KeptAnswer,
  type KeptAnswerHead,
  keptForMs,
} from './kept-answer.ts';

/**
 * Reads the header `Idempotency-Key`. Repeated headers are joined by a comma and a space, which no key contains.
 *
 * @param problems receives one when it is not 1 to 255 visible ASCII characters.
 * @returns null when there is none, or a problem.
 */
export function readIdempotencyKey(header: string | null, problems: ProblemList): string | null {
  if (header === null || isIdempotencyKey(header)) return header;
  const rule = `1 to ${idempotencyKeyLengthMax} visible ASCII characters without spaces, sent once`;
  problems.add(() => `the header Idempotency-Key must be ${rule}`);
  return null;
}

export function isIdempotencyKey(text: string): boolean {
  return text.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(text);
}

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
  /** The key was used with another body. */
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

/** Old answers that may be forgotten to make room for one: the cost of a create is bounded. */
export const forgottenForRoomMax = 512;

/**
 * Keeps an answer whose key is not in use, within the limits of its project. Expired answers are forgotten to make
 * room, younger ones never.
 *
 * @returns null when there is no room.
 */
export function keepAnswer(queries: RecordQueries, answer: KeptAnswer, now: number): RecordChange[] | null {
  const forgotten: KeptAnswerHead[] = [];
  const earlier = queries.keptAnswer(answer.tokenId, answer.key);
  if (earlier !== undefined) forgotten.push(earlier);
  let usage = changeUsage(queries.keptAnswersUsage(answer.projectId), answer, 1);
  if (earlier !== undefined) usage = changeUsage(usage, earlier, -1);
  if (!fitsIn(usage, keptAnswersMax)) {
    for (const head of queries.keptAnswersOf(answer.projectId)) {
      if (!isForgettable(head, now) || forgotten.length >= forgottenForRoomMax) return null;
      if (head.tokenId === answer.tokenId && head.key === answer.key) continue;
      forgotten.push(head);
      usage = changeUsage(usage, head, -1);
      if (fitsIn(usage, keptAnswersMax)) break;
    }
  }
  if (!fitsIn(usage, keptAnswersMax)) return null;
  return [...forgotten.map(forget), { kind: 'kept-answer', before: null, after: answer }];
}

/**
 * When to retry after there was no room: then the oldest answer of the project expires.
 *
 * @returns whole seconds, from 1 to 24 hours.
 */
export function secondsUntilRoom(queries: RecordQueries, projectId: string, now: number): number {
  const [oldest] = queries.keptAnswersOf(projectId);
  const ms = oldest === undefined ? 0 : oldest.keptAt + keptForMs - now;
  // When a clock was set back, an answer is kept for longer than `Retry-After` says.
  return Math.ceil(Math.min(Math.max(ms, 1000), keptForMs) / 1000);
}

/** The change that forgets a kept answer. */
export function forget(before: KeptAnswerHead): RecordChange {
  return { kind: 'kept-answer', before, after: null };
}

/** Expired answers that are forgotten with one commit. */
export const forgottenPerCommitMax = 128;

/**
 * @returns the project after another one, in a cycle, whose old answers are checked; null when no project keeps any.
 */
export function nextProjectToForget(queries: RecordQueries, afterProjectId: string | null): string | null {
  return queries.projectKeepingAnswers(afterProjectId) ?? queries.projectKeepingAnswers(null) ?? null;
}

/** Forgets a bounded number of the oldest expired answers of a project. @param now Unix milliseconds */
export function forgetOldAnswers(queries: RecordQueries, projectId: string, now: number): RecordChange[] {
  const changes: RecordChange[] = [];
  // Forgetting counts down the project's usage: whether the usage is readable is checked before anything is decided.
  queries.keptAnswersUsage(projectId);
  for (const head of queries.keptAnswersOf(projectId)) {
    if (changes.length >= forgottenPerCommitMax || !isForgettable(head, now)) break;
    changes.push(forget(head));
  }
  return changes;
}
