import { changeUsage, type KeptAnswer, type KeptAnswerHead } from '../domain/idempotency/kept-answer.ts';
import { keptAnswerKey } from './keys/kept-answer-keys.ts';
import { idKey } from './keys/key-parts.ts';
import { keptAnswerIndex } from './record-indexes.ts';
import { keptAnswerRecord } from './records/kept-answer-record.ts';
import { keptAnswersUsageRecord } from './records/kept-answers-usage-record.ts';
import type { WriteTarget } from './write-target.ts';

/** Keeps an answer, or forgets one: its record, its place among its project's by age, and what the project uses. */
export function writeKeptAnswer(
  target: WriteTarget,
  before: KeptAnswerHead | null,
  after: KeptAnswer | null,
): void {
  if (before !== null) {
    target.remove('kept-answers', keptAnswerKey(before.tokenId, before.key));
    target.remove(keptAnswerIndex.database, keptAnswerIndex.keyOf(before));
    writeUsage(target, before, -1);
  }
  if (after !== null) {
    target.put(keptAnswerRecord, keptAnswerKey(after.tokenId, after.key), after);
    target.putBytes(keptAnswerIndex.database, keptAnswerIndex.keyOf(after), keptAnswerIndex.valueOf(after));
    writeUsage(target, after, 1);
  }
}

/** A project that keeps nothing has no usage record. */
function writeUsage(target: WriteTarget, head: KeptAnswerHead, by: 1 | -1): void {
  const key = idKey(head.projectId);
  const before = target.source.find(keptAnswersUsageRecord, key) ?? { entries: 0, bytes: 0 };
  const usage = changeUsage(before, head, by);
  if (usage.entries === 0) target.remove('kept-answers-usage', key);
  else target.put(keptAnswersUsageRecord, key, usage);
}
