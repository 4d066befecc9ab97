import type { Flag } from '../domain/flag/flag.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { activityQueries } from './activity-reader.ts';
import type { AuditHeads } from './audit-heads.ts';
import { auditDroppedThrough, auditHeadsOf, auditOf, newestAuditSequence } from './audit-reader.ts';
import { evaluationCountQueries } from './evaluation-counts-reader.ts';
import { findFlag, findFlagsOf, type HeldBytes } from './evaluation-reader.ts';
import { keptAnswerQueries } from './kept-answer-reader.ts';
import { idKey, lastIdKeyOf, rangeOf } from './keys/key-parts.ts';
import { flagNameRange } from './keys/name-keys.ts';
import { outboxQueries } from './outbox-reader.ts';
import { findById, findBySecretHash, indexed, missingRecord, ownedBy } from './record-look-ups.ts';
import type { RecordSource } from './record-source.ts';
import { audienceRecord } from './records/audience-record.ts';
import { flagRecord } from './records/flag-record.ts';
import { memberRecord } from './records/member-record.ts';
import { organisationRecord } from './records/organisation-record.ts';
import { projectRecord } from './records/project-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { tokenRecord } from './records/token-record.ts';
import { sessionQueries } from './session-reader.ts';

/**
 * Answers the rules' questions from one view: a snapshot or the open write transaction.
 * @param auditHeads null where a transaction may still be undone
 * @param held told what is kept of flags that are read in steps
 */
export function createRecordQueries(
  source: RecordSource,
  auditHeads: AuditHeads | null,
  held: HeldBytes = { bytes: 0 },
): RecordQueries {
  return {
    organisation: (id) => findById(source, organisationRecord, id),
    project: (id) => findById(source, projectRecord, id),
    flag: (id) => findById(source, flagRecord, id),
    audience: (id) => findById(source, audienceRecord, id),
    token: (id) => findById(source, tokenRecord, id),
    tokenBySecretHash: (secretHash) =>
      findBySecretHash(source, 'tokens-by-secret-hash', tokenRecord, secretHash),
    member: (id) => findById(source, memberRecord, id),
    organisations: () => allOf(source, organisationRecord),
    members: () => allOf(source, memberRecord),
    projects: () => allOf(source, projectRecord),
    flagsOf: (projectId, name) => flagsOf(source, projectId, name),
    foundFlag: (id) => findFlag(source, id, held),
    foundFlagsOf: (projectId, name) => findFlagsOf(source, projectId, name, held),
    flagsNaming: (projectId, audienceId) => flagsNaming(source, projectId, audienceId),
    audiencesOf: (projectId) => ownedBy(source, 'audiences-by-project', audienceRecord, projectId),
    tokensOf: (projectId) => ownedBy(source, 'tokens-by-project', tokenRecord, projectId),
    auditOf: (ledgerId, range) => auditOf(source, ledgerId, range),
    auditHeadsOf: (ledgerId, range) => auditHeadsOf(source, auditHeads, ledgerId, range),
    auditDroppedThrough: (ledgerId) => auditDroppedThrough(source, ledgerId),
    newestAuditSequence: (ledgerId) => newestAuditSequence(source, ledgerId),
    ...sessionQueries(source),
    ...activityQueries(source),
    ...outboxQueries(source),
    ...evaluationCountQueries(source),
    ...keptAnswerQueries(source),
  };
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
  if (range !== null) yield* indexed(source, 'flags-by-name', flagRecord, range, lastIdKeyOf);
}

/**
 * Only records that hold the id's bytes are decoded: a project of ten thousand flags is looked through within the writer,
 * where others wait.
 */
function* flagsNaming(source: RecordSource, projectId: string, audienceId: string): Generator<Flag> {
  if (!isIdShaped(projectId) || !isIdShaped(audienceId)) return;
  const sought = idKey(audienceId);
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys('flags-by-name', rangeOf(projectId))) {
      const key = lastIdKeyOf(indexKey);
      const bytes = pinned.source.findBytes('flags', key);
      if (bytes === undefined) throw missingRecord(flagRecord, key);
      if (bytes.includes(sought)) yield flagRecord.decode(key, bytes);
    }
  } finally {
    pinned.release();
  }
}
