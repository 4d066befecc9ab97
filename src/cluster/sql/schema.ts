import { Buffer } from 'node:buffer';
import { crc32 } from '../../support/crc32.ts';
import type { SqlConnection } from './connection.ts';
import { NoClusterError, readClusterHead } from './head-statements.ts';
import { upkeepTimeoutMs } from './time-limits.ts';

/** Version of the tables below. Raise it with each change of them. */
export const schemaVersion = 1;

/** The tables have another version, with which this one cannot work. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError';

  constructor(found: number) {
    const advice =
      found > schemaVersion
        ? 'start a newer version of burgee'
        : 'make them again from a backup, with burgee cluster create --replace';
    super(
      `the cluster's tables have version ${found}, and this version of burgee knows ${schemaVersion}: ${advice}`,
    );
  }
}

/**
 * The tables of a cluster.
 *
 * - `head`: one row, where the history is. `schema` is the version of the tables, and `kept_checksum` the chain's
 * checksum before the oldest row of the log.
 * - `log`: the history's newest part. Long changes lie in `parts` rows, numbered by `part` from 0 on.
 * - `record`: the primary records at the head's position, from which a replica is made.
 * - `node`: the nodes that may hold a lease, and the length of each lease.
 * - `usage`: the counts of each node, which only grow; `node` is its directory's, for longer than a process.
 * - `attempt`: attempts to sign in, and reports of usage, within a window. It is unlogged, so that no attempt waits for
 * a disk or a standby. After a crash or failover all windows restart.
 *
 * `head` and `node` are updated all the time: free space in their pages keeps old versions in place.
 */
function tablesText(schema: string): string {
  return `
    create table ${schema}.head (
      id smallint primary key default 1 check (id = 1),
      store text not null, schema int not null, format int not null,
      position bigint not null check (position between 1 and 9007199254740991), checksum bytea not null,
      kept_from bigint not null, kept_checksum bytea not null, closed_at timestamptz
    ) with (fillfactor = 50);
    create table ${schema}.log (
      position bigint not null, part int not null, parts int not null, node text not null, batch uuid not null,
      format int not null, changes bytea not null, checksum bytea not null, at timestamptz not null default now(),
      primary key (position, part)
    );
    alter table ${schema}.log alter column changes set storage external;
    create table ${schema}.record (
      database text collate "C" not null, key bytea not null, value bytea not null, position bigint not null,
      primary key (database, key)
    ) with (fillfactor = 85);
    create table ${schema}.node (
      id text primary key, counter bigint not null, applied bigint not null, knows_format int not null,
      label text not null,
      joined_at timestamptz not null default now(), renewed_at timestamptz not null default now(),
      lease_ms int not null
    ) with (fillfactor = 30);
    create table ${schema}.usage (
      kind text collate "C" not null, bucket bigint not null, key text collate "C" not null, node text not null,
      first bigint not null, second bigint not null, pushed_at timestamptz not null,
      primary key (kind, bucket, key, node)
    ) with (fillfactor = 70);
    create unlogged table ${schema}.attempt (
      key text collate "C" primary key, count int not null, ends_at timestamptz not null
    ) with (fillfactor = 70);
    create index on ${schema}.attempt (ends_at)`;
}

/** @returns the first number of this cluster's advisory locks, because several clusters may use one database */
export function lockSpace(schema: string): number {
  return crc32(Buffer.from(schema)) | 0;
}

/** Second number of the lock for creating or replacing tables. Duties have the other numbers. */
const tablesLock = 0;

/** Begins a transaction, possibly a long one, in which no other session creates or replaces the tables. */
export async function beginTableChange(connection: SqlConnection): Promise<void> {
  const begin = `begin isolation level read committed; set local lock_timeout = '5s';
    set local statement_timeout = '120s'; set local idle_in_transaction_session_timeout = '60s';
    select pg_advisory_xact_lock(${lockSpace(connection.schema)}, ${tablesLock})`;
  try {
    await connection.within(upkeepTimeoutMs, connection.run(begin, []));
  } catch (fault) {
    if (!connection.isOver) await connection.within(upkeepTimeoutMs, connection.run('rollback', []));
    if ((fault as { code?: string }).code !== '55P03') throw fault;
    throw new Error("another session creates or replaces the cluster's tables: try again when it has ended");
  }
}

/**
 * Creates the tables, and the schema if it is missing, in the transaction of `beginTableChange`.
 * @returns false when the tables exist
 */
export async function createTables(connection: SqlConnection): Promise<boolean> {
  if (await hasTables(connection)) return false;
  const { schema } = connection;
  // `if not exists` would need a right on the database even if the schema exists.
  const isThere = await askWhether(connection, 'select to_regnamespace($1) is not null as answer', schema);
  const text = isThere ? tablesText(schema) : `create schema ${schema}; ${tablesText(schema)}`;
  await connection.within(upkeepTimeoutMs, connection.run(text, []));
  return true;
}

/** Removes the tables of `createTables`, in the same transaction as what replaces them. */
export async function dropTables(connection: SqlConnection): Promise<void> {
  const tables = ['log', 'record', 'node', 'usage', 'attempt', 'head'];
  const names = tables.map((table) => `${connection.schema}.${table}`);
  await connection.within(upkeepTimeoutMs, connection.run(`drop table if exists ${names.join(', ')}`, []));
}

/**
 * Commits a transaction.
 * @throws Error unless PostgreSQL confirms the commit
 */
export async function endTransaction(connection: SqlConnection, timeoutMs: number): Promise<void> {
  const { command } = await connection.within(timeoutMs, connection.run('commit', []));
  if (command !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${command}`);
}

/** Requires that there is a cluster, with tables of this version. @throws NoClusterError, OtherSchemaError */
export async function requireSchema(connection: SqlConnection): Promise<void> {
  if (!(await hasTables(connection))) throw new NoClusterError();
  const { schema } = await readClusterHead(connection);
  if (schema !== schemaVersion) throw new OtherSchemaError(schema);
}

function hasTables(connection: SqlConnection): Promise<boolean> {
  return askWhether(connection, 'select to_regclass($1) is not null as answer', `${connection.schema}.head`);
}

async function askWhether(connection: SqlConnection, query: string, name: string): Promise<boolean> {
  const sent = connection.run<{ answer: boolean }>(query, [name]);
  const { rows } = await connection.within(upkeepTimeoutMs, sent);
  return rows[0]?.answer === true;
}
