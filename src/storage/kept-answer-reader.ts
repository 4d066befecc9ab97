import { isIdempotencyKey } from '../domain/idempotency/idempotency-key.ts';
import type { KeptAnswer, KeptAnswerHead, KeptAnswersUsage } from '../domain/idempotency/kept-answer.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { keptAnswerKey, readKeptAnswerAgeKey } from './keys/kept-answer-keys.ts';
import { firstIdOf, idKey, idsAfter, rangeOf, sequenceOf } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { keptAnswerRecord } from './records/kept-answer-record.ts';
import { keptAnswersUsageRecord } from './records/kept-answers-usage-record.ts';

type KeptAnswerQueries = Pick<
  RecordQueries,
  'keptAnswer' | 'keptAnswersOf' | 'keptAnswersUsage' | 'projectKeepingAnswers'
>;

const nothing: KeptAnswersUsage = { entries: 0, bytes: 0 };

/** The questions about kept answers. What is no id or no key finds nothing. */
export function keptAnswerQueries(source: RecordSource): KeptAnswerQueries {
  return {
    keptAnswer: (tokenId, key) => findAnswer(source, tokenId, key),
    keptAnswersOf: (projectId) => answersByAge(source, projectId),
    keptAnswersUsage: (projectId) =>
      (isIdShaped(projectId) && source.find(keptAnswersUsageRecord, idKey(projectId))) || nothing,
    projectKeepingAnswers: (afterProjectId) => firstProject(source, afterProjectId),
  };
}

function findAnswer(source: RecordSource, tokenId: string, key: string): KeptAnswer | undefined {
  if (!isIdShaped(tokenId) || !isIdempotencyKey(key)) return undefined;
  return source.find(keptAnswerRecord, keptAnswerKey(tokenId, key));
}

/** From the index alone: no answer is decoded. */
function* answersByAge(source: RecordSource, projectId: string): Generator<KeptAnswerHead> {
  if (!isIdShaped(projectId)) return;
  for (const { key, bytes } of source.entries('kept-answers-by-age', rangeOf(projectId))) {
    yield { ...readKeptAnswerAgeKey(key), bytes: sequenceOf(bytes) };
  }
}

function firstProject(source: RecordSource, afterProjectId: string | null): string | undefined {
  const start = afterProjectId === null ? undefined : idsAfter(afterProjectId).start;
  const key = source.firstKey('kept-answers-usage', start);
  return key === undefined ? undefined : firstIdOf(key);
}
