import { findTables, openEnvironment } from '../../../src/storage/environment.ts';
import { describeKey } from '../../../src/storage/keys/describe-key.ts';
import { metaKeys } from '../../../src/storage/keys/key-parts.ts';
import { type DatabaseName, databaseNames } from '../../../src/storage/keys.ts';
import { RecordSource } from '../../../src/storage/record-source.ts';
import { activityRecord } from '../../../src/storage/records/activity-record.ts';
import { audienceRecord } from '../../../src/storage/records/audience-record.ts';
import { auditRecord, decodeAuditEntry } from '../../../src/storage/records/audit-record.ts';
import { changeLogRecord } from '../../../src/storage/records/change-log-record.ts';
import { counterRecord } from '../../../src/storage/records/counter-record.ts';
import { evaluationCountsRecord } from '../../../src/storage/records/evaluation-counts-record.ts';
import { flagRecord } from '../../../src/storage/records/flag-record.ts';
import { identityRecord } from '../../../src/storage/records/identity-record.ts';
import { keptAnswerRecord } from '../../../src/storage/records/kept-answer-record.ts';
import { keptAnswersUsageRecord } from '../../../src/storage/records/kept-answers-usage-record.ts';
import { memberIdentityRecord } from '../../../src/storage/records/member-identity-record.ts';
import { memberRecord } from '../../../src/storage/records/member-record.ts';
import { oneTimeLinkRecord } from '../../../src/storage/records/one-time-link-record.ts';
import { organisationRecord } from '../../../src/storage/records/organisation-record.ts';
import { outboxDeliveryRecord } from '../../../src/storage/records/outbox-delivery-record.ts';
import { outboxRecord } from '../../../src/storage/records/outbox-record.ts';
import { projectRecord } from '../../../src/storage/records/project-record.ts';
import type { RecordCodec } from '../../../src/storage/records/record-codec.ts';
import { sessionRecord } from '../../../src/storage/records/session-record.ts';
import { tokenRecord } from '../../../src/storage/records/token-record.ts';
import { tokenUseRecord } from '../../../src/storage/records/token-use-record.ts';
import { Snapshots } from '../../../src/storage/snapshots.ts';
import { mapBytes } from './sample-store.ts';

export interface EveryRecord {
  /** By database, then by key: what each record reads as, in plain JSON. */
  readonly records: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By database, the indexes too. */
  readonly counts: ReadonlyMap<DatabaseName, number>;
}

const codecs: readonly RecordCodec<unknown>[] = [
  organisationRecord,
  memberRecord,
  projectRecord,
  flagRecord,
  audienceRecord,
  tokenRecord,
  changeLogRecord,
  activityRecord,
  tokenUseRecord,
  outboxRecord,
  outboxDeliveryRecord,
  sessionRecord,
  oneTimeLinkRecord,
  memberIdentityRecord,
  evaluationCountsRecord,
  keptAnswerRecord,
  keptAnswersUsageRecord,
];

/** Reads a store as the present code does, and changes nothing in it. @throws DamagedRecordError */
export async function everyRecordOf(directory: string): Promise<EveryRecord> {
  const root = openEnvironment({ directory, mapBytes, isReadOnly: true });
  const tables = findTables(root);
  if (tables === undefined) throw new Error(`${directory} holds no store`);
  const snapshots = new Snapshots(root);
  const source = new RecordSource(tables, snapshots);
  const records: Record<string, Readonly<Record<string, unknown>>> = { meta: metaIn(source) };
  for (const codec of codecs) records[codec.database] = recordsIn(source, codec, (record) => record);
  records['audit'] = recordsIn(source, auditRecord, (record) => ({
    ...record,
    encodedEntry: decodeAuditEntry(record.encodedEntry),
  }));
  const counts = new Map(databaseNames.map((name) => [name, source.count(name)]));
  snapshots.close();
  await root.close();
  return { records, counts };
}

function recordsIn<T>(
  source: RecordSource,
  codec: RecordCodec<T>,
  shown: (record: T) => unknown,
): Record<string, unknown> {
  const found = Array.from(source.records(codec), ({ key, record }): [string, unknown] => [
    describeKey(key),
    plain(shown(record)),
  ]);
  return Object.fromEntries(found);
}

function metaIn(source: RecordSource): Record<string, unknown> {
  return {
    store: plain(source.find(identityRecord, metaKeys.store)),
    'change-log': source.find(counterRecord, metaKeys.changeLog),
    outbox: source.find(counterRecord, metaKeys.outbox),
  };
}

/** Bytes as base64, a map as its entries. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return Array.from(value, plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}
