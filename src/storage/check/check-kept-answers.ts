import {
  fitsIn,
  type KeptAnswer,
  type KeptAnswersUsage,
  keptAnswersMax,
} from '../../domain/idempotency/kept-answer.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { firstIdOf, idKey, secretHashBytes, sequenceBytes, sequenceOf } from '../keys/key-parts.ts';
import { keptAnswerIndex } from '../record-indexes.ts';
import type { StoredRecord } from '../record-source.ts';
import { keptAnswerRecord } from '../records/kept-answer-record.ts';
import { keptAnswersUsageRecord } from '../records/kept-answers-usage-record.ts';
import { projectRecord } from '../records/project-record.ts';
import { tokenRecord } from '../records/token-record.ts';
import { type Finding, findingAt } from './finding.ts';
import { reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Each kept answer has its place by age, is a token's of its project, and is counted in what the project uses. */
export function* checkKeptAnswers(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(keptAnswerRecord, function* (stored) {
    yield* walk.indexed(keptAnswerIndex, stored.record);
    yield* checkAnswer(walk, stored);
  });
  yield* walk.index(keptAnswerIndex, keptAnswerRecord);
  yield* checkUsage(walk);
}

function* checkAnswer(walk: StoreWalk, { key, record }: StoredRecord<KeptAnswer>): Generator<Finding> {
  const { database } = keptAnswerRecord;
  const { where } = findingAt(database, key, '');
  const { projectId, tokenId, requestHash } = record;
  if (tokenId + record.key !== key.toString('latin1')) yield { where, what: 'is the answer to another key' };
  yield* reference(walk, where, projectRecord, projectId);
  yield* reference(walk, where, tokenRecord, tokenId);
  const token = isIdShaped(tokenId) ? walk.find(tokenRecord, idKey(tokenId)) : null;
  if (token !== null && token.projectId !== projectId) {
    yield { where, what: `is kept for projects/${projectId}, but its token is of another project` };
  }
  if (requestHash.length !== secretHashBytes) {
    yield { where, what: `has a request hash of ${requestHash.length} bytes` };
  }
}

/** Summed from the index, so that an answer that cannot be read is one finding and not two. */
function* checkUsage(walk: StoreWalk): Generator<Finding> {
  const sums = new Map<string, KeptAnswersUsage>();
  yield* walk.entries('kept-answers-by-age', ({ key, bytes }) => {
    const { entries, bytes: sum } = sums.get(firstIdOf(key)) ?? { entries: 0, bytes: 0 };
    sums.set(firstIdOf(key), { entries: entries + 1, bytes: sum + countedBytes(bytes) });
    return [];
  });
  yield* walk.records(keptAnswersUsageRecord, function* ({ key, record }) {
    const { entries, bytes } = sums.get(firstIdOf(key)) ?? { entries: 0, bytes: 0 };
    sums.delete(firstIdOf(key));
    if (record.entries !== entries || record.bytes !== bytes) {
      const counted = `counts ${record.entries} answers of ${record.bytes} bytes`;
      yield findingAt('kept-answers-usage', key, `${counted}, and there are ${entries} of ${bytes}`);
    }
    if (!fitsIn({ entries, bytes }, keptAnswersMax)) {
      yield findingAt('kept-answers-usage', key, 'keeps more than a project may');
    }
  });
  for (const [projectId, { entries }] of sums) {
    yield { where: `kept-answers-usage/${projectId}`, what: `is missing, and there are ${entries} answers` };
  }
}

/** What an entry by age counts; one that counts nothing readable does not fit its answer either, which is told there. */
function countedBytes(bytes: Buffer): number {
  return bytes.length === sequenceBytes ? sequenceOf(bytes) : 0;
}
