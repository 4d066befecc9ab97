import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { forget } from './keep-answer.ts';
import { isForgettable } from './kept-answer.ts';

/** Old answers that go along with one commit. */
export const forgottenPerCommitMax = 128;

/** @returns the project whose old answers are looked at after another one's: round and round; null when none keeps any. */
export function nextProjectToForget(queries: RecordQueries, afterProjectId: string | null): string | null {
  return queries.projectKeepingAnswers(afterProjectId) ?? queries.projectKeepingAnswers(null) ?? null;
}

/** Forgets the oldest answers of a project that are over their 24 hours: a bounded few. @param now Unix milliseconds */
export function forgetOldAnswers(queries: RecordQueries, projectId: string, now: number): RecordChange[] {
  const changes: RecordChange[] = [];
  // Forgetting counts down what the project uses: whether that can be read is found out before anything is decided.
  queries.keptAnswersUsage(projectId);
  for (const head of queries.keptAnswersOf(projectId)) {
    if (changes.length >= forgottenPerCommitMax || !isForgettable(head, now)) break;
    changes.push(forget(head));
  }
  return changes;
}
