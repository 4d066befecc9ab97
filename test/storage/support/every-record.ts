import { describeKey } from '../../../src/storage/keys/key-parts.ts';
import { type DatabaseName, databaseNames } from '../../../src/storage/keys.ts';
import { findDatabases, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { RecordSource } from '../../../src/storage/record-source.ts';
import { Snapshots } from '../../../src/storage/snapshots.ts';
import { type AuditRecord, decodeAuditEntry } from '../../../src/storage/tables/audit-record.ts';
import type { RecordKind } from '../../../src/storage/tables/table.ts';
import { recordKinds } from '../../../src/storage/tables/tables.ts';
import { mapBytes } from './sample-store.ts';

export interface EveryRecord {
  /** Each record as plain JSON, by database and key. */
  readonly records: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The number of entries by database, indexes included. */
  readonly counts: ReadonlyMap<DatabaseName, number>;
  /** Database and key of each record that the present code would encode differently. */
  readonly rewritten: readonly string[];
}

/** Reads a store with the present code, without changing it. @throws DamagedRecordError */
export async function everyRecordOf(directory: string): Promise<EveryRecord> {
  const root = openEnvironment({ directory, mapBytes, isReadOnly: true });
  const databases = findDatabases(root);
  if (databases === undefined) throw new Error(`${directory} holds no store`);
  const snapshots = new Snapshots(root);
  const source = new RecordSource(databases, snapshots);
  const counts = new Map(databaseNames.map((name) => [name, source.count(name)]));
  const found = recordKinds.flatMap(({ codec }) => recordsIn(source, codec));
  snapshots.close();
  await root.close();
  const records: Record<string, Record<string, unknown>> = {};
  for (const { codec } of recordKinds) records[codec.database] = {};
  for (const { database, key, record } of found) Object.assign(records[database] ?? {}, { [key]: record });
  const rewritten = found.filter(({ isRewritten }) => isRewritten);
  return { records, counts, rewritten: rewritten.map(({ database, key }) => `${database}/${key}`) };
}

function recordsIn(source: RecordSource, codec: RecordKind['codec']) {
  const { database } = codec;
  return Array.from(source.entries(database), ({ key, bytes }) => {
    const record = codec.decode(key, bytes);
    const isRewritten = !codec.encode(key, record).equals(bytes);
    return { database, key: describeKey(key), record: plain(shown(database, record)), isRewritten };
  });
}

/** A record of an audit entry contains the hashed bytes. */
function shown(database: DatabaseName, record: unknown): unknown {
  if (database !== 'audit') return record;
  const { encodedEntry, ...chained } = record as AuditRecord;
  return { ...chained, encodedEntry: decodeAuditEntry(encodedEntry) };
}

/** Bytes as base64, a map as its entries. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return Array.from(value, plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}
