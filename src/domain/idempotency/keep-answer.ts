import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import {
  changeUsage,
  fitsIn,
  isForgettable,
  type KeptAnswer,
  type KeptAnswerHead,
  keptAnswersMax,
  keptForMs,
} from './kept-answer.ts';

/** Old answers that may be forgotten to make room for one: what a create costs is bounded. */
export const forgottenForRoomMax = 512;

/**
 * Keeps an answer whose key is not in use, within the limits of its project. Old answers make room, never younger ones.
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
 * When to ask again after there was no room: the oldest answer of the project is forgotten then.
 *
 * @returns whole seconds, from 1 to those of 24 hours.
 */
export function secondsUntilRoom(queries: RecordQueries, projectId: string, now: number): number {
  const [oldest] = queries.keptAnswersOf(projectId);
  const ms = oldest === undefined ? 0 : oldest.keptAt + keptForMs - now;
  // A clock that has gone back makes an answer stay longer than anybody is told to wait.
  return Math.ceil(Math.min(Math.max(ms, 1000), keptForMs) / 1000);
}

/** The change that forgets a kept answer. */
export function forget(before: KeptAnswerHead): RecordChange {
  return { kind: 'kept-answer', before, after: null };
}
