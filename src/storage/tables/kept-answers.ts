import { keptAnswersMax } from '../../domain/bounds.ts';
import { isIdempotencyKey } from '../../domain/idempotency/answer-keeping.ts';
import {
  changeUsage,
  fitsIn,
  type KeptAnswer,
  type KeptAnswerHead,
  type KeptAnswersUsage,
  keptBytes,
} from '../../domain/idempotency/kept-answer.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import {
  firstIdOf,
  idBytes,
  idKey,
  idsAfter,
  rangeOf,
  secretHashBytes,
  sequenceBytes,
  sequenceKey,
  sequenceOf,
} from '../keys/key-parts.ts';
import type { RecordIndex } from '../record-index.ts';
import type { RecordSource, StoredRecord } from '../record-source.ts';
import { plain, recordCodec, recordOf } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import { projectRecord } from './projects.ts';
import type { Table } from './table.ts';
import { tokenRecord } from './tokens.ts';

export const keptAnswerRecord = recordCodec({
  database: 'kept-answers',
  toRow: (it: KeptAnswer) => [
    it.projectId,
    it.tokenId,
    it.key,
    it.keptAt,
    it.requestHash,
    it.entityTag,
    it.nameTakenBy,
    it.body,
  ],
  fromRow: ([projectId, tokenId, key, keptAt, requestHash, entityTag, nameTakenBy, body]) => ({
    projectId,
    tokenId,
    key,
    keptAt,
    bytes: keptBytes(key, body),
    // A copy: msgpack returns a view of the whole record.
    requestHash: new Uint8Array(requestHash),
    ...{ entityTag, nameTakenBy },
    body,
  }),
});

export const keptAnswersUsageRecord = recordOf<KeptAnswersUsage>('kept-answers-usage', {
  entries: plain,
  bytes: plain,
});

const keptAnswerKeyStart = idBytes + sequenceBytes;

/** @throws RangeError when `key` is not an idempotency key: only valid ones are ever stored. */
export function keptAnswerKey(tokenId: string, key: string): Buffer {
  if (!isIdempotencyKey(key)) throw new RangeError('Not an idempotency key');
  return Buffer.concat([idKey(tokenId), Buffer.from(key, 'latin1')]);
}

export function keptAnswerAgeKey(projectId: string, keptAt: number, tokenId: string, key: string): Buffer {
  return Buffer.concat([idKey(projectId), sequenceKey(keptAt), keptAnswerKey(tokenId, key)]);
}

/** The parts of a key by age. */
function readKeptAnswerAgeKey(key: Buffer) {
  const tokenEnd = keptAnswerKeyStart + idBytes;
  return {
    projectId: firstIdOf(key),
    keptAt: sequenceOf(key.subarray(idBytes, keptAnswerKeyStart)),
    tokenId: key.toString('latin1', keptAnswerKeyStart, tokenEnd),
    key: key.toString('latin1', tokenEnd),
  };
}

function ageKeyOf({ projectId, keptAt, tokenId, key }: KeptAnswerHead): Buffer {
  return keptAnswerAgeKey(projectId, keptAt, tokenId, key);
}

/** A project's kept answers, oldest first. */
const keptAnswerIndex: RecordIndex<KeptAnswerHead> = {
  database: 'kept-answers-by-age',
  keysOf: (head) => [ageKeyOf(head)],
  hasSameKeys: (before, after) => ageKeyOf(before).equals(ageKeyOf(after)),
  valueOf: ({ bytes }) => sequenceKey(bytes),
  recordKeyOf: (key) => key.subarray(keptAnswerKeyStart),
};

/** A text that is not an id or a key finds nothing. */
export const keptAnswerTable = {
  kinds: [
    { codec: keptAnswerRecord, indexes: [keptAnswerIndex] },
    { codec: keptAnswersUsageRecord, indexes: [] },
  ],
  answers: {
    keptAnswer: ({ source }, tokenId, key) => findAnswer(source, tokenId, key),
    keptAnswersOf: ({ source }, projectId) => answersByAge(source, projectId),
    keptAnswersUsage: ({ source }, projectId) =>
      (isIdShaped(projectId) && source.find(keptAnswersUsageRecord, idKey(projectId))) || nothing,
    projectKeepingAnswers: ({ source }, afterProjectId) => firstProject(source, afterProjectId),
  },
  writes: { 'kept-answer': (target, { before, after }) => writeKeptAnswer(target, before, after) },
  check: checkKeptAnswers,
} satisfies Table;

const nothing: KeptAnswersUsage = { entries: 0, bytes: 0 };

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

/** Keeps an answer, or forgets one: its record, its entry by age, and the project's usage. */
function writeKeptAnswer(target: WriteTarget, before: KeptAnswerHead | null, after: KeptAnswer | null): void {
  if (before !== null) {
    target.remove('kept-answers', keptAnswerKey(before.tokenId, before.key));
    target.remove(keptAnswerIndex.database, ageKeyOf(before));
    writeUsage(target, before, -1);
  }
  if (after !== null) {
    target.put(keptAnswerRecord, keptAnswerKey(after.tokenId, after.key), after);
    target.putBytes(keptAnswerIndex.database, ageKeyOf(after), keptAnswerIndex.valueOf(after));
    writeUsage(target, after, 1);
  }
}

/** A project without kept answers has no usage record. */
function writeUsage(target: WriteTarget, head: KeptAnswerHead, by: 1 | -1): void {
  const key = idKey(head.projectId);
  const before = target.source.find(keptAnswersUsageRecord, key) ?? nothing;
  const usage = changeUsage(before, head, by);
  if (usage.entries === 0) target.remove('kept-answers-usage', key);
  else target.put(keptAnswersUsageRecord, key, usage);
}

/** Each kept answer has its entry by age, belongs to a token of its project, and is counted in the project's usage. */
function* checkKeptAnswers(walk: StoreWalk): Generator<Finding> {
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
  yield* walk.reference(where, projectRecord, projectId);
  // A token that was revoked long ago is deleted, and its answers are forgotten later.
  const token = walk.findById(tokenRecord, tokenId);
  if (token !== null && token.projectId !== projectId) {
    yield { where, what: `is kept for projects/${projectId}, but its token is of another project` };
  }
  if (requestHash.length !== secretHashBytes) {
    yield { where, what: `has a request hash of ${requestHash.length} bytes` };
  }
}

/** Summed from the index, so that an unreadable answer is one finding and not two. */
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

/**
 * The bytes in an entry by age. An entry without readable bytes does not fit its answer either, and is reported there.
 */
function countedBytes(bytes: Buffer): number {
  return bytes.length === sequenceBytes ? sequenceOf(bytes) : 0;
}
