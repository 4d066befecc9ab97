import { byteaArray } from './bytea.ts';
import type { Answer, SqlConnection, Statement } from './connection.ts';
import { headColumns, headRow, type RawHead } from './head-statements.ts';
import { followBounds, sendRows, toLogRows } from './log-statements.ts';
import { nodeRows, nodesStatement, type RawNode } from './node-statements.ts';
import type { Head, LogRow, LogRows, NodeRow, RecordKey, RecordRow } from './rows.ts';
import { commitChannel } from './schema-name.ts';
import { readTimeoutMs } from './time-limits.ts';

/**
 * Timeout of a commit, and its addition for each MiB. After it the connection is given up, and the outcome is
 * unknown.
 */
const commitTimeoutMs = 6000;
const commitTimeoutMsPerMiB = 250;
/** Timeout of the lock for a silent server; PostgreSQL itself gives up after 2 s (`lock_timeout`). */
const lockTimeoutMs = 4000;

/**
 * Maximum time for which PostgreSQL lets the writer of a long change hold the lock while it decides. No other node
 * can change anything meanwhile.
 */
const longDecisionMs = 30_000;
/** Timeout of the statement that stores a long change. */
const longStatementMs = 90_000;
const longLock = `set local idle_in_transaction_session_timeout = ${longDecisionMs}; set local statement_timeout = ${longStatementMs}`;

/**
 * Maximum size of one row's changes. PostgreSQL accepts less than 1 GiB in one statement, where they appear twice.
 */
export const changesBytesMax = 256 * 1024 * 1024;
/** Longer changes are stored in several parts, which bounds the size of one value. */
const partBytes = 4 * 1024 * 1024;

/** A decided change for PostgreSQL. */
export interface CommitRequest {
  /** The checksum at `row.position` - 1, of the state on which it was decided. */
  readonly previousChecksum: Buffer;
  readonly row: LogRow;
  /** Primary records to put and to remove. Each key appears once. */
  readonly puts: readonly RecordRow[];
  readonly removals: readonly RecordKey[];
}

export interface CommitOutcome {
  /** False if the head has moved since the decision, or the cluster is closed. Nothing was written then. */
  readonly isCommitted: boolean;
  /**
   * The commit is on this server alone, because the wait for its synchronous standby was cancelled. It must not be
   * acknowledged until the standby has confirmed a later commit.
   */
  readonly isLocalOnly: boolean;
  /** The nodes after the commit. */
  readonly nodes: readonly NodeRow[];
}

/** The whole commit is one statement, so that no transaction stays open. It moves the head, or does nothing. */
const commitStatement: Statement = {
  name: 'commit',
  text: (schema) => `
    with moved as (
      update ${schema}.head set position = $1::bigint, checksum = $2::bytea, format = greatest(format, $3::int)
      where position = $1::bigint - 1 and checksum = $4::bytea and closed_at is null returning position
    ), logged as (
      insert into ${schema}.log(position, part, parts, node, batch, format, changes, checksum)
      select $1::bigint, u.part - 1, cardinality($7::bytea[]), $5::text, $6::uuid, $3::int, u.changes, $2::bytea
      from moved, unnest($7::bytea[]) with ordinality as u(changes, part)
    ), put as (
      insert into ${schema}.record(database, key, value, position)
      select u.database, u.key, u.value, $1::bigint
      from moved, unnest($8::text[], $9::bytea[], $10::bytea[]) as u(database, key, value)
      on conflict (database, key) do update set value = excluded.value, position = excluded.position
    ), gone as (
      delete from ${schema}.record r using moved, unnest($11::text[], $12::bytea[]) as u(database, key)
      where r.database = u.database and r.key = u.key
    )
    select pg_notify($13::text, $1::bigint::text) from moved`,
};

const lockStatement: Statement = {
  name: 'lock',
  text: (schema) => `select ${headColumns} from ${schema}.head for update`,
};

const batchStatement: Statement = {
  name: 'batch',
  text: (schema) => `select batch from ${schema}.log where position = $1::bigint and part = 0`,
};

/**
 * Commits a row and its records if the head has not moved since the decision. The statement itself detects a
 * conflict. It rejects if the outcome is unknown (the connection is over then), or if PostgreSQL refused the commit.
 * In both cases the same request may be sent again on another connection: at most one attempt commits, and `batchAt`
 * shows which.
 * @throws RangeError when the changes are longer than `changesBytesMax`
 */
export function commit(connection: SqlConnection, request: CommitRequest): Promise<CommitOutcome> {
  return sendCommit(connection, request, () => null);
}

/**
 * Locks the head, in a transaction that `commitLocked` or `giveUpLock` ends. It is for a writer that lost a race, or
 * whose change is long. PostgreSQL ends the connection after 2 s of silence, or 30 s for a long change.
 * @param position of this node: the rows after it are returned with the lock
 * @param isLong whether deciding or storing may take long
 * @throws PostgreSQL's error 55P03 when another session held the lock for 2 s; the transaction is over then
 */
export async function lockHead(
  connection: SqlConnection,
  position: number,
  isLong = false,
): Promise<{ readonly head: Head; readonly others: LogRows }> {
  const begin = 'begin isolation level read committed';
  const sent = connection.together(
    () =>
      [
        connection.run(isLong ? `${begin}; ${longLock}` : begin, []),
        connection.run<RawHead>(lockStatement, []),
        sendRows(connection, position, followBounds),
      ] as const,
  );
  const answers = connection.within(lockTimeoutMs, Promise.all(sent));
  try {
    const [, head, parts] = await answers;
    return { head: headRow(head.rows), others: toLogRows(parts.rows, followBounds) };
  } catch (fault) {
    if (!connection.isOver) await giveUpLock(connection);
    throw fault;
  }
}

/**
 * Commits under the lock, and always ends its transaction.
 * @see commit. A conflict is only possible if the row was decided at another position than that of the lock
 */
export function commitLocked(connection: SqlConnection, request: CommitRequest): Promise<CommitOutcome> {
  return sendCommit(connection, request, () => connection.run('commit', []));
}

/** Ends the transaction of `lockHead` without a change. */
export async function giveUpLock(connection: SqlConnection): Promise<void> {
  await connection.within(readTimeoutMs, connection.run('rollback', []));
}

/** @returns the batch of the row at a position; null if there is no row yet, or it was trimmed */
export async function batchAt(connection: SqlConnection, position: number): Promise<string | null> {
  const { rows } = await connection.within(
    readTimeoutMs,
    connection.run<{ batch: string }>(batchStatement, [position]),
  );
  return rows[0]?.batch ?? null;
}

/** Sends in one message the commit, the end of its transaction if it has one, and a read of the nodes. */
async function sendCommit(
  connection: SqlConnection,
  { previousChecksum, row, puts, removals }: CommitRequest,
  end: () => Promise<Answer<unknown>> | null,
): Promise<CommitOutcome> {
  const values = [
    row.position,
    row.checksum,
    row.format,
    previousChecksum,
    row.node,
    row.batch,
    byteaArray(splitParts(row.changes)),
    puts.map(({ database }) => database),
    byteaArray(puts.map(({ key }) => key)),
    byteaArray(puts.map(({ value }) => value)),
    removals.map(({ database }) => database),
    byteaArray(removals.map(({ key }) => key)),
    commitChannel(connection.schema),
  ];
  connection.takeLocalOnly();
  const sent = connection.together(
    () =>
      [connection.run(commitStatement, values), end(), connection.run<RawNode>(nodesStatement, [])] as const,
  );
  const timeoutMs = commitTimeoutMs + (row.changes.length / 2 ** 20) * commitTimeoutMsPerMiB;
  const answers = connection.within(timeoutMs, Promise.all(sent));
  const [moved, ended, nodes] = await answers.catch((fault) => failedCommit(connection, sent[0], fault));
  // A failed transaction answers COMMIT with ROLLBACK, without an error.
  if (ended !== null && ended.command !== 'COMMIT')
    throw new Error(`PostgreSQL answered COMMIT with ${ended.command}`);
  return {
    isCommitted: moved.count === 1,
    isLocalOnly: connection.takeLocalOnly(),
    nodes: nodeRows(nodes.rows),
  };
}

/**
 * If the commit itself was refused, nothing is stored and the connection stays usable. If a later statement failed,
 * the commit may be stored: the connection ends, as for every unknown outcome.
 */
async function failedCommit(
  connection: SqlConnection,
  moved: Promise<unknown>,
  fault: unknown,
): Promise<never> {
  if (connection.isOver) throw fault;
  const isRefused = await moved.then(
    () => false,
    () => true,
  );
  if (isRefused) throw fault;
  throw connection.destroy('what was asked behind a commit failed');
}

function splitParts(changes: Buffer): Buffer[] {
  if (changes.length > changesBytesMax)
    throw new RangeError(
      `the change has ${Math.ceil(changes.length / 2 ** 20)} MiB, and a cluster takes ${changesBytesMax / 2 ** 20} MiB at once: ` +
        'make it in several, for example one project in each file that is applied',
    );
  const count = Math.max(1, Math.ceil(changes.length / partBytes));
  return Array.from({ length: count }, (_, part) =>
    changes.subarray(part * partBytes, (part + 1) * partBytes),
  );
}
