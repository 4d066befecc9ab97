import { byteaArray } from './bytea.ts';
import type { SqlConnection, Statement } from './connection.ts';
import { headRow, headStatement, type RawHead } from './head-statements.ts';
import type { Head, RecordRow } from './rows.ts';
import { beginTableChange, createTables, dropTables, endTransaction, schemaVersion } from './schema.ts';
import { readTimeoutMs, upkeepTimeoutMs } from './time-limits.ts';

/** Maximum of records and bytes in one message, in both directions. A larger record is sent alone. */
const batchRows = 5000;
const batchBytes = 8 * 1024 * 1024;
/** Timeout of one batch, and of the end of a transaction that uploaded a whole store. */
const uploadTimeoutMs = 60_000;
/** A node without a renewal for this long is gone: no lease is longer. */
const renewedMsMax = 70_000;

/** A record with the position of the row that put it. */
export interface PlacedRecord extends RecordRow {
  readonly position: number;
}

/** All records at one position, whatever is committed meanwhile. */
export interface Snapshot {
  readonly head: Head;
  /**
   * Records in the order of database and key bytes. Call it once, and ask for each batch within a minute of the one
   * before.
   */
  batches(): AsyncGenerator<readonly PlacedRecord[]>;
  /** Ends the transaction. */
  close(): Promise<void>;
}

/** The first state of a cluster. */
export interface NewCluster {
  readonly store: string;
  readonly format: number;
  /** Checksum of position 1: random, so that no other history or empty directory can be mistaken for this one. */
  readonly checksum: Buffer;
  readonly records: Iterable<RecordRow> | AsyncIterable<RecordRow>;
  /** Replaces the cluster of the same store in this schema, if there is one and its nodes are stopped. */
  readonly mayReplace?: boolean;
}

/** The schema already has a cluster. */
export class ClusterExistsError extends Error {
  override readonly name = 'ClusterExistsError';

  /** @param what its store and state */
  constructor(schema: string, what: string) {
    super(
      `there is a cluster in the schema ${schema} already, ${what}: start nodes on it, each with an empty directory or its own; ` +
        'or name another schema by BURGEE_CLUSTER_SCHEMA; or, if it is of the same store and is to begin again with what this ' +
        'directory holds, stop all nodes and repeat with --replace',
    );
  }
}

const pageStatement: Statement = {
  name: 'page',
  text: (schema) => `
    select database, key, value, position from (
      select page.*, sum(octet_length(value)) over (order by database, key) - octet_length(value) as before
      from (
        select database, key, value, position from ${schema}.record
        where (database, key) > ($1::text collate "C", $2::bytea) order by database, key limit $3::int
      ) as page
    ) as counted
    where before < $4::bigint order by database, key`,
};

const uploadStatement: Statement = {
  name: 'upload',
  text: (schema) => `
    insert into ${schema}.record(database, key, value, position)
    select u.database, u.key, u.value, 1 from unnest($1::text[], $2::bytea[], $3::bytea[]) as u(database, key, value)`,
};

/**
 * Opens a snapshot of all records for a new replica. It needs a connection of its own, because it holds a
 * transaction.
 * @throws NoClusterError
 */
export async function openSnapshot(connection: SqlConnection): Promise<Snapshot> {
  const begin = `begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = '60s'; set local statement_timeout = '60s'`;
  const sent = connection.together(
    () => [connection.run(begin, []), connection.run<RawHead>(headStatement, [])] as const,
  );
  const [, { rows }] = await connection.within(readTimeoutMs, Promise.all(sent));
  return {
    head: headRow(rows),
    batches: () => readBatches(connection),
    close: () => endTransaction(connection, readTimeoutMs),
  };
}

async function* readBatches(connection: SqlConnection): AsyncGenerator<readonly PlacedRecord[]> {
  let database = '';
  let key: Buffer = Buffer.alloc(0);
  for (;;) {
    const page = connection.run<PlacedRecord>(pageStatement, [database, key, batchRows, batchBytes]);
    const { rows } = await connection.within(uploadTimeoutMs, page);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    ({ database, key } = last);
  }
}

/**
 * Creates the tables and uploads a store's records in one transaction. The history begins at position 1.
 * @throws ClusterExistsError; Error when a cluster exists that may not be replaced
 */
export async function createCluster(
  connection: SqlConnection,
  { store, format, checksum, records, mayReplace = false }: NewCluster,
): Promise<{ readonly records: number; readonly bytes: number }> {
  await beginTableChange(connection);
  try {
    if (!(await createTables(connection))) {
      if (!mayReplace) throw new ClusterExistsError(connection.schema, 'made before');
      await requireReplaceable(connection, store);
      await dropTables(connection);
      await createTables(connection);
    }
    const uploaded = await upload(connection, records);
    const insert = `insert into ${connection.schema}.head(store, schema, format, position, checksum, kept_from, kept_checksum)
      values ($1, $2, $3, 1, $4, 2, $4)`;
    await connection.within(
      upkeepTimeoutMs,
      connection.run(insert, [store, schemaVersion, format, checksum]),
    );
    await endTransaction(connection, uploadTimeoutMs);
    return uploaded;
  } catch (fault) {
    if (!connection.isOver) await connection.within(upkeepTimeoutMs, connection.run('rollback', []));
    throw fault;
  }
}

/** Refuses to replace the cluster of another store, or one whose nodes may still renew their leases. */
async function requireReplaceable(connection: SqlConnection, store: string): Promise<void> {
  // Waits for a commit in flight, and prevents further ones.
  const lock = connection.run<RawHead>(`${headStatement.text(connection.schema)} for update`, []);
  const head = headRow((await connection.within(upkeepTimeoutMs, lock)).rows);
  const nodes = connection.run(
    `select from ${connection.schema}.node where renewed_at > now() - interval '${renewedMsMax} milliseconds'`,
    [],
  );
  const { count } = await connection.within(upkeepTimeoutMs, nodes);
  if (head.store !== store)
    throw new Error(
      `the cluster in the schema ${connection.schema} is of another store, ${head.store}: name another schema by BURGEE_CLUSTER_SCHEMA`,
    );
  if (count > 0)
    throw new Error(
      `the cluster in the schema ${connection.schema} has nodes that have renewed their leases in the last ${renewedMsMax / 1000} s: stop them all`,
    );
}

async function upload(
  connection: SqlConnection,
  records: NewCluster['records'],
): Promise<{ records: number; bytes: number }> {
  const sum = { records: 0, bytes: 0 };
  let batch: RecordRow[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    const values = [
      batch.map(({ database }) => database),
      byteaArray(batch.map(({ key }) => key)),
      byteaArray(batch.map(({ value }) => value)),
    ];
    await connection.within(uploadTimeoutMs, connection.run(uploadStatement, values));
    sum.records += batch.length;
    sum.bytes += bytes;
    batch = [];
    bytes = 0;
  };
  for await (const record of records) {
    const size = record.key.length + record.value.length;
    if (batch.length === batchRows || bytes + size > batchBytes) await send();
    batch.push(record);
    bytes += size;
  }
  await send();
  return sum;
}

/**
 * Closes the history for good: no writer can commit any more, and a replica at this position is complete.
 * @param position that the replica has applied
 * @returns false when the head is elsewhere, or was closed before
 */
export async function closeCluster(connection: SqlConnection, position: number): Promise<boolean> {
  const update = `update ${connection.schema}.head set closed_at = now() where position = $1::bigint and closed_at is null`;
  const { count } = await connection.within(readTimeoutMs, connection.run(update, [position]));
  return count === 1;
}
