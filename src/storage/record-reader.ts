import type { Flag } from '../domain/flag/flag.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { Token } from '../domain/token/token.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { activityQueries } from './activity-reader.ts';
import { DamagedRecordError } from './damaged-record-error.ts';
import { evaluationCountQueries } from './evaluation-counts-reader.ts';
import { keptAnswerQueries } from './kept-answer-reader.ts';
import {
  type DatabaseName,
  flagNameRange,
  idKey,
  type KeyRange,
  lastIdKeyOf,
  rangeOf,
  secretHashBytes,
} from './keys.ts';
import { outboxQueries } from './outbox-reader.ts';
import type { RecordSource } from './record-source.ts';
import { audienceRecord } from './records/audience-record.ts';
import { flagRecord } from './records/flag-record.ts';
import { memberRecord } from './records/member-record.ts';
import { organisationRecord } from './records/organisation-record.ts';
import { projectRecord } from './records/project-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { tokenRecord } from './records/token-record.ts';

/** Answers the rules' questions from one view: a snapshot or the open write transaction. */
export function createRecordQueries(source: RecordSource): RecordQueries {
  return {
    organisation: (id) => findById(source, organisationRecord, id),
    project: (id) => findById(source, projectRecord, id),
    flag: (id) => findById(source, flagRecord, id),
    audience: (id) => findById(source, audienceRecord, id),
    token: (id) => findById(source, tokenRecord, id),
    tokenBySecretHash: (secretHash) => findTokenBySecretHash(source, secretHash),
    member: (id) => findById(source, memberRecord, id),
    organisations: () => allOf(source, organisationRecord),
    members: () => allOf(source, memberRecord),
    projects: () => allOf(source, projectRecord),
    flagsOf: (projectId, name) => flagsOf(source, projectId, name),
    audiencesOf: (projectId) => ownedBy(source, 'audiences-by-project', audienceRecord, projectId),
    tokensOf: (projectId) => ownedBy(source, 'tokens-by-project', tokenRecord, projectId),
    ...activityQueries(source),
    ...outboxQueries(source),
    ...evaluationCountQueries(source),
    ...keptAnswerQueries(source),
  };
}

function findById<T>(source: RecordSource, codec: RecordCodec<T>, id: string): T | undefined {
  return isIdShaped(id) ? source.find(codec, idKey(id)) : undefined;
}

function findTokenBySecretHash(source: RecordSource, secretHash: Uint8Array): Token | undefined {
  if (secretHash.length !== secretHashBytes) return undefined;
  const id = source.findBytes('tokens-by-secret-hash', Buffer.from(secretHash));
  return id === undefined ? undefined : indexedRecord(source, tokenRecord, id);
}

function* allOf<T>(source: RecordSource, codec: RecordCodec<T>): Generator<T> {
  for (const { record } of source.records(codec)) yield record;
}

function* flagsOf(source: RecordSource, projectId: string, name: string | undefined): Generator<Flag> {
  if (name === undefined) {
    yield* ownedBy(source, 'flags-by-name', flagRecord, projectId);
    return;
  }
  const range = isIdShaped(projectId) ? flagNameRange(projectId, name) : null;
  if (range !== null) yield* indexed(source, 'flags-by-name', flagRecord, range);
}

function* ownedBy<T>(
  source: RecordSource,
  index: DatabaseName,
  codec: RecordCodec<T>,
  ownerId: string,
): Generator<T> {
  if (isIdShaped(ownerId)) yield* indexed(source, index, codec, rangeOf(ownerId));
}

/** The records whose ids end the index's keys, in the order of the keys, all on one snapshot. */
function* indexed<T>(
  source: RecordSource,
  index: DatabaseName,
  codec: RecordCodec<T>,
  range: KeyRange,
): Generator<T> {
  const pinned = source.pin();
  try {
    for (const key of pinned.source.keys(index, range)) {
      yield indexedRecord(pinned.source, codec, lastIdKeyOf(key));
    }
  } finally {
    pinned.release();
  }
}

/** @throws DamagedRecordError when an index names a record that is not there. */
function indexedRecord<T>(source: RecordSource, codec: RecordCodec<T>, key: Buffer): T {
  const record = source.find(codec, key);
  if (record !== undefined) return record;
  throw new DamagedRecordError(codec.database, key, 'an index names it, but it is not there');
}
