import type { RecordChange } from '../domain/record-change.ts';
import type { Identity } from '../domain/session/identity.ts';
import { writeActivity, writeTokenUse } from './activity-writer.ts';
import { appendAuditEntry } from './audit-writer.ts';
import { type ChangeLogWriter, createChangeLogWriter, type LoggedChange } from './change-log-writer.ts';
import { addEvaluationCount } from './evaluation-counts-writer.ts';
import { writeKeptAnswer } from './kept-answer-writer.ts';
import { identityKey } from './keys/identity-keys.ts';
import { idKey } from './keys/key-parts.ts';
import { writeDelivery, writeOutbox } from './outbox-writer.ts';
import {
  audienceIndex,
  flagIndex,
  identityMemberIndex,
  linkOrganisationIndex,
  linkSecretIndex,
  memberEmailIndex,
  type RecordIndex,
  sessionMemberIndex,
  sessionSecretIndex,
  tokenIndex,
  tokenSecretIndex,
} from './record-indexes.ts';
import { audienceRecord } from './records/audience-record.ts';
import { flagRecord } from './records/flag-record.ts';
import { memberIdentityRecord } from './records/member-identity-record.ts';
import { memberRecord } from './records/member-record.ts';
import { oneTimeLinkRecord } from './records/one-time-link-record.ts';
import { organisationRecord } from './records/organisation-record.ts';
import { projectRecord } from './records/project-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { sessionRecord } from './records/session-record.ts';
import { tokenRecord } from './records/token-record.ts';
import type { WriteTarget } from './write-target.ts';
import { countWrittenBytes } from './written-bytes.ts';
import type { WrittenTail } from './written-tail.ts';

/** Turns decided changes into puts of the open write transaction. Made anew for each transaction. */
export interface RecordWriter {
  apply(changes: readonly RecordChange[]): void;
  /** Writes what only the end of the transaction can know: the change log. */
  finish(): void;
}

interface Replacement<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** One for each kind of change; a kind without one does not compile. */
type ChangeWriters = {
  readonly [Kind in RecordChange['kind']]: (change: Extract<RecordChange, { kind: Kind }>) => void;
};

export function createRecordWriter(
  target: WriteTarget,
  tail: WrittenTail,
  changeLogEntriesMax: number,
): RecordWriter {
  const changeLog = createChangeLogWriter(target, tail, changeLogEntriesMax);
  const writers = createChangeWriters(target, tail, changeLog);
  return {
    apply(changes) {
      const before = target.space.bytes;
      for (const change of changes) writers[change.kind](change as never);
      countWrittenBytes(target, changes, target.space.bytes - before);
    },
    finish: changeLog.finish,
  };
}

function createChangeWriters(
  target: WriteTarget,
  tail: WrittenTail,
  changeLog: ChangeLogWriter,
): ChangeWriters {
  return {
    organisation: (change) => replace(target, organisationRecord, change, []),
    member: (change) => replace(target, memberRecord, change, [memberEmailIndex]),
    session: (change) => replace(target, sessionRecord, change, [sessionSecretIndex, sessionMemberIndex]),
    'one-time-link': (change) =>
      replace(target, oneTimeLinkRecord, change, [linkSecretIndex, linkOrganisationIndex]),
    identity: ({ before, after }) => writeIdentity(target, before, after),
    project(change) {
      replace(target, projectRecord, change, []);
      changeLog.note(projectChange(change));
    },
    flag(change) {
      replace(target, flagRecord, change, [flagIndex]);
      changeLog.note(flagChange(change));
    },
    audience(change) {
      replace(target, audienceRecord, change, [audienceIndex]);
      changeLog.note(audienceChange(change));
    },
    token: (change) => replace(target, tokenRecord, change, [tokenIndex, tokenSecretIndex]),
    'kept-answer': ({ before, after }) => writeKeptAnswer(target, before, after),
    audit: (change) => appendAuditEntry(target, tail, change.entry),
    activity: (change) => writeActivity(target, change.denial),
    'token-use': (change) => writeTokenUse(target, change.use),
    'evaluation-count': (change) => addEvaluationCount(target, change.count),
    outbox: (change) => writeOutbox(target, change.entry),
    'outbox-delivery': ({ sequence, delivery }) => writeDelivery(target, sequence, delivery),
  };
}

function replace<T extends { readonly id: string }>(
  target: WriteTarget,
  codec: RecordCodec<T>,
  change: Replacement<T>,
  indexes: readonly RecordIndex<T>[],
): void {
  const { before, after } = change;
  const key = idKey(subjectOf(change).id);
  if (after === null) target.remove(codec.database, key);
  else target.put(codec, key, after);
  for (const index of indexes) reindex(target, index, before, after);
}

function writeIdentity(target: WriteTarget, before: Identity | null, after: Identity | null): void {
  if (before !== null) target.remove('identities', identityKey(before.issuer, before.subject));
  if (after !== null) target.put(memberIdentityRecord, identityKey(after.issuer, after.subject), after);
  reindex(target, identityMemberIndex, before, after);
}

/** An index entry that stays the same is left alone. */
function reindex<T>(target: WriteTarget, index: RecordIndex<T>, before: T | null, after: T | null): void {
  if (before !== null && after !== null && index.hasSameKey(before, after)) return;
  if (before !== null) target.remove(index.database, index.keyOf(before));
  if (after !== null) target.putBytes(index.database, index.keyOf(after), index.valueOf(after));
}

/** @throws Error on a change from nothing to nothing, or from one record to another: neither is a replacement. */
function subjectOf<T extends { readonly id: string }>({ before, after }: Replacement<T>): T {
  const subject = after ?? before;
  if (subject === null || (before !== null && before.id !== subject.id)) {
    throw new Error('A record change must be of one record');
  }
  return subject;
}

function flagChange(change: Extract<RecordChange, { kind: 'flag' }>): LoggedChange {
  const { id, projectId } = subjectOf(change);
  return { kind: 'flag', projectId, id, environment: change.environment };
}

function audienceChange(change: Extract<RecordChange, { kind: 'audience' }>): LoggedChange {
  const { id, projectId } = subjectOf(change);
  return { kind: 'project', projectId, id, environment: null };
}

function projectChange(change: Extract<RecordChange, { kind: 'project' }>): LoggedChange {
  const { id } = subjectOf(change);
  return { kind: 'project', projectId: id, id, environment: null };
}
