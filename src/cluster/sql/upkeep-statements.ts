import type { SqlConnection, Statement } from './connection.ts';
import { headColumns, headRow, type RawHead } from './head-statements.ts';
import type { Head } from './rows.ts';
import { lockSpace } from './schema.ts';
import { readTimeoutMs, upkeepTimeoutMs } from './time-limits.ts';

/** Maximum of log rows that one statement removes while it holds the head's lock. */
const trimRows = 2000;

/** Rows of the log that are kept: the newest `rows`, and those younger than `ageMs`. */
export interface TrimBounds {
  readonly rows: number;
  readonly ageMs: number;
}

/** Updates the head in the same statement, so that `kept_from` never names a removed row. */
const trimStatement: Statement = {
  name: 'trim',
  text: (schema) => `
    with oldest as (
      select l.position, l.at, l.checksum, h.position as head from ${schema}.head h, ${schema}.log l
      where l.position >= h.kept_from order by l.position limit ${trimRows}
    ), cut as (
      select position, checksum from oldest
      where position <= head - $1::bigint and at < now() - $2::bigint * interval '1 millisecond'
      order by position desc limit 1
    ), raised as (
      update ${schema}.head set kept_from = cut.position + 1, kept_checksum = cut.checksum from cut
      where kept_from <= cut.position returning kept_from
    ), gone as (
      delete from ${schema}.log l using raised where l.position < raised.kept_from returning 1
    )
    select kept_from, (select count(*) from gone) as removed from raised`,
};

/** Removes at most 2,000 log rows outside of both bounds. @returns how many; call it until it returns 0 */
export async function trimLog(connection: SqlConnection, { rows, ageMs }: TrimBounds): Promise<number> {
  const sent = connection.run<{ removed: number }>(trimStatement, [rows, ageMs]);
  const { rows: trimmed } = await connection.within(upkeepTimeoutMs, sent);
  return trimmed[0]?.removed ?? 0;
}

/** Duties, each of one node at a time. The index in this list is the number of the advisory lock. */
export const duties = ['tables', 'mail', 'trimming', 'clean-up'] as const;
export type Duty = Exclude<(typeof duties)[number], 'tables'>;

/**
 * Acquires a duty for this connection until the connection ends. Call it once for each connection.
 * @returns false when another connection holds it
 */
export async function takeDuty(connection: SqlConnection, duty: Duty): Promise<boolean> {
  const query = 'select pg_try_advisory_lock($1::int, $2::int) as is_held';
  const sent = connection.run<{ is_held: boolean }>(query, dutyLock(connection, duty));
  const { rows } = await connection.within(readTimeoutMs, sent);
  return rows[0]?.is_held === true;
}

export async function giveDuty(connection: SqlConnection, duty: Duty): Promise<void> {
  const query = 'select pg_advisory_unlock($1::int, $2::int)';
  await connection.within(readTimeoutMs, connection.run(query, dutyLock(connection, duty)));
}

/** Makes PostgreSQL end the connection, and with it its duties, after this time without a statement. */
export async function endWhenSilent(connection: SqlConnection, silentMs: number): Promise<void> {
  const query = `select set_config('idle_session_timeout', $1::text, false)`;
  await connection.within(readTimeoutMs, connection.run(query, [String(silentMs)]));
}

function dutyLock(connection: SqlConnection, duty: Duty): number[] {
  return [lockSpace(connection.schema), duties.indexOf(duty)];
}

/** A node as `burgee cluster status` shows it. */
export interface NodeStatus {
  readonly id: string;
  readonly label: string;
  readonly applied: number;
  readonly knowsFormat: number;
  /** By the database's clock. */
  readonly joinedMsAgo: number;
  readonly renewedMsAgo: number;
  readonly leaseMs: number;
}

export interface ClusterStatus {
  readonly head: Head;
  /** Unix milliseconds of the newest row by the database's clock; null for an empty log. */
  readonly movedAt: number | null;
  /** Number of rows in the log's table. A long change has several. */
  readonly logRows: number;
  /** Bytes on disk of the log and of all tables, indexes included. */
  readonly logBytes: number;
  readonly bytes: number;
  readonly nodes: readonly NodeStatus[];
  /** Duties that are held, and their nodes. */
  readonly duties: readonly { readonly duty: Duty; readonly node: string }[];
  /** Connected standbys. The role sees them only as a member of `pg_monitor`. */
  readonly standbys: readonly { readonly name: string; readonly isSynchronous: boolean }[];
  /** Unix milliseconds. */
  readonly databaseTime: number;
}

type RawStatus = RawHead & {
  readonly moved_at: number | null;
  readonly log_rows: number;
  readonly log_bytes: number;
  readonly bytes: number;
  readonly database_time: number;
};

/**
 * @returns the cluster's status. Each part is a separate read.
 * @throws NoClusterError
 */
export async function readStatus(connection: SqlConnection): Promise<ClusterStatus> {
  const { schema } = connection;
  const total = ['log', 'record', 'usage', 'node', 'head']
    .map((table) => `pg_total_relation_size('${schema}.${table}')`)
    .join(' + ');
  const milliseconds = (moment: string): string =>
    `(extract(epoch from clock_timestamp() - ${moment}) * 1000)::bigint`;
  const sent = connection.together(
    () =>
      [
        connection.run<RawStatus>(
          `select ${headColumns}, (select count(*) from ${schema}.log) as log_rows, ${total} as bytes,
           (select (extract(epoch from at) * 1000)::bigint from ${schema}.log order by position desc, part desc limit 1) as moved_at,
           pg_total_relation_size('${schema}.log') as log_bytes,
           (extract(epoch from clock_timestamp()) * 1000)::bigint as database_time from ${schema}.head`,
          [],
        ),
        connection.run<NodeStatus>(
          `select id, label, applied, knows_format as "knowsFormat", ${milliseconds('joined_at')} as "joinedMsAgo",
           ${milliseconds('renewed_at')} as "renewedMsAgo", lease_ms as "leaseMs"
           from ${schema}.node order by id limit 1000`,
          [],
        ),
        connection.run<{ number: number; application: string }>(
          `select l.objid::int as number, a.application_name as application from pg_locks l
           join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
           where l.locktype = 'advisory' and l.granted and d.datname = current_database()
           and l.classid::bigint = $1::bigint and l.objsubid = 2 and l.objid > 0 order by l.objid`,
          [lockSpace(schema) >>> 0],
        ),
        connection.run<{ name: string; isSynchronous: boolean }>(
          `select application_name as name, coalesce(sync_state in ('sync', 'quorum'), false) as "isSynchronous"
           from pg_stat_replication where application_name is not null order by application_name limit 100`,
          [],
        ),
      ] as const,
  );
  const [one, nodes, locks, standbys] = await connection.within(upkeepTimeoutMs, Promise.all(sent));
  const head = headRow(one.rows);
  const [{ moved_at: movedAt, log_rows: logRows, log_bytes: logBytes, bytes, database_time: databaseTime }] =
    one.rows as [RawStatus];
  return {
    head: {
      store: head.store,
      schema: head.schema,
      format: head.format,
      position: head.position,
      checksum: head.checksum,
      keptFrom: head.keptFrom,
      closedAt: head.closedAt,
    },
    movedAt,
    logRows,
    logBytes,
    bytes,
    nodes: nodes.rows,
    duties: locks.rows.flatMap(({ number, application }) => {
      const duty = duties[number];
      return duty === undefined || duty === 'tables'
        ? []
        : [{ duty, node: application.replace('burgee ', '') }];
    }),
    standbys: standbys.rows,
    databaseTime,
  };
}
