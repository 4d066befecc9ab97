import { isAuditAnchorKey, isWrittenBytesKey, metaKeys } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import {
  audienceIndex,
  flagIndex,
  identityMemberIndex,
  keptAnswerIndex,
  linkOrganisationIndex,
  linkSecretIndex,
  memberEmailIndex,
  type RecordIndex,
  sessionMemberIndex,
  sessionSecretIndex,
  tokenIndex,
  tokenSecretIndex,
} from './record-indexes.ts';
import { activityRecord } from './records/activity-record.ts';
import { audienceRecord } from './records/audience-record.ts';
import { auditAnchorRecord } from './records/audit-anchor-record.ts';
import { auditRecord } from './records/audit-record.ts';
import { changeLogRecord } from './records/change-log-record.ts';
import { counterRecord } from './records/counter-record.ts';
import { evaluationCountsRecord } from './records/evaluation-counts-record.ts';
import { flagRecord } from './records/flag-record.ts';
import { identityRecord } from './records/identity-record.ts';
import { keptAnswerRecord } from './records/kept-answer-record.ts';
import { keptAnswersUsageRecord } from './records/kept-answers-usage-record.ts';
import { memberIdentityRecord } from './records/member-identity-record.ts';
import { memberRecord } from './records/member-record.ts';
import { oneTimeLinkRecord } from './records/one-time-link-record.ts';
import { organisationRecord } from './records/organisation-record.ts';
import { outboxDeliveryRecord } from './records/outbox-delivery-record.ts';
import { outboxRecord } from './records/outbox-record.ts';
import { projectRecord } from './records/project-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { sessionRecord } from './records/session-record.ts';
import { tokenRecord } from './records/token-record.ts';
import { tokenUseRecord } from './records/token-use-record.ts';
import { writtenBytesRecord } from './records/written-bytes-record.ts';

export interface IndexEntry {
  readonly database: DatabaseName;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** One database of records. */
export interface RecordKind {
  readonly database: DatabaseName;
  readonly indexes: readonly DatabaseName[];
  /** @returns the entries that the record has in its indexes. @throws DamagedRecordError */
  examine(key: Buffer, bytes: Buffer): readonly IndexEntry[];
}

const none: readonly IndexEntry[] = [];

/** Of an index the record is decoded; otherwise its checksum is enough. */
function kindOf<T>(codec: RecordCodec<T>, indexes: readonly RecordIndex<T>[] = []): RecordKind {
  const entriesOf = (record: T): readonly IndexEntry[] =>
    indexes.map((index) => ({
      database: index.database,
      key: index.keyOf(record),
      value: index.valueOf(record),
    }));
  return {
    database: codec.database,
    indexes: indexes.map(({ database }) => database),
    examine(key, bytes) {
      if (indexes.length > 0) return entriesOf(codec.decode(key, bytes));
      codec.verify(key, bytes);
      return none;
    },
  };
}

/** @returns null for a key of `meta` that is not known here */
export function metaCodecOf(key: Buffer): RecordCodec<unknown> | null {
  if (key.equals(metaKeys.store)) return identityRecord as RecordCodec<unknown>;
  if (isWrittenBytesKey(key)) return writtenBytesRecord as RecordCodec<unknown>;
  if (isAuditAnchorKey(key)) return auditAnchorRecord as RecordCodec<unknown>;
  const isCounter = key.equals(metaKeys.changeLog) || key.equals(metaKeys.outbox);
  return isCounter ? (counterRecord as RecordCodec<unknown>) : null;
}

/** The identity, the counters, what was written on a day, and what was dropped of the audit log. */
const metaKind: RecordKind = {
  database: 'meta',
  indexes: [],
  examine(key, bytes) {
    (metaCodecOf(key) ?? counterRecord).verify(key, bytes);
    return none;
  },
};

/** Every database but the indexes. */
export const recordKinds: readonly RecordKind[] = [
  metaKind,
  kindOf(organisationRecord),
  kindOf(memberRecord, [memberEmailIndex]),
  kindOf(projectRecord),
  kindOf(flagRecord, [flagIndex]),
  kindOf(audienceRecord, [audienceIndex]),
  kindOf(tokenRecord, [tokenIndex, tokenSecretIndex]),
  kindOf(auditRecord),
  kindOf(changeLogRecord),
  kindOf(activityRecord),
  kindOf(tokenUseRecord),
  kindOf(outboxRecord),
  kindOf(outboxDeliveryRecord),
  kindOf(sessionRecord, [sessionSecretIndex, sessionMemberIndex]),
  kindOf(oneTimeLinkRecord, [linkSecretIndex, linkOrganisationIndex]),
  kindOf(memberIdentityRecord, [identityMemberIndex]),
  kindOf(evaluationCountsRecord),
  kindOf(keptAnswerRecord, [keptAnswerIndex]),
  kindOf(keptAnswersUsageRecord),
];
