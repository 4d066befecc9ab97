import { assert } from '../../support/assert.ts';
import type { SqlConnection, Statement } from './connection.ts';
import { headRow, headStatement, type RawHead } from './head-statements.ts';
import type { Head, NodeRow } from './rows.ts';
import { commitChannel, reportChannel } from './schema-name.ts';
import { readTimeoutMs } from './time-limits.ts';

/** Timeout of a renewal. The lease keeps running meanwhile. */
const renewTimeoutMs = 2000;
/** More than any cluster has. Other nodes remove the rows of dead nodes. */
export const nodesMax = 1000;

export interface Renewal {
  /** New for each process. */
  readonly id: string;
  /** Incremented with each renewal, over all connections of the process. */
  readonly counter: number;
  /** The position that this node has applied. */
  readonly applied: number;
  /** Newest format that it can decode. */
  readonly knowsFormat: number;
  /** Name for people: host and version. */
  readonly label: string;
  /** Length of its lease. */
  readonly leaseMs: number;
}

export interface RenewalOutcome {
  /** Read after the renewal was committed. A joining node is ready once it has applied this position. */
  readonly head: Head;
  /** All nodes, this one included. */
  readonly nodes: readonly NodeRow[];
  /** Database time of the renewal, in Unix milliseconds. */
  readonly databaseTime: number;
}

export interface RawNode extends Omit<NodeRow, 'knowsFormat' | 'leaseMs'> {
  readonly knows_format: number;
  readonly lease_ms: number;
}

export const nodesStatement: Statement = {
  name: 'nodes',
  text: (schema) =>
    `select id, counter, applied, knows_format, lease_ms from ${schema}.node order by id limit ${nodesMax}`,
};

/** A late renewal on an abandoned connection changes nothing, because the counter only rises. */
const renewStatement: Statement = {
  name: 'renew',
  text: (schema) => `
    insert into ${schema}.node as n (id, counter, applied, knows_format, label, lease_ms)
    values ($1::text, $2::bigint, $3::bigint, $4::int, $5::text, $6::int)
    on conflict (id) do update set counter = greatest(n.counter, excluded.counter),
      applied = greatest(n.applied, excluded.applied), knows_format = excluded.knows_format, label = excluded.label,
      lease_ms = excluded.lease_ms, renewed_at = excluded.renewed_at
    returning (extract(epoch from clock_timestamp()) * 1000)::bigint as database_time`,
};

const leaveStatement: Statement = {
  name: 'leave',
  text: (schema) => `delete from ${schema}.node where id = $1::text`,
};

const removeStatement: Statement = {
  name: 'remove node',
  text: (schema) => `delete from ${schema}.node where id = $1::text and counter = $2::bigint`,
};

const notifyStatement: Statement = { name: 'notify', text: () => 'select pg_notify($1::text, $2::text)' };

/**
 * Renews this node's lease, or joins; then reads head and nodes, each in a transaction of its own, all in one
 * message.
 * @throws ConnectionOverError after 2 s without received bytes: earlier requests for rows of the log are answered
 * first
 */
export async function renew(connection: SqlConnection, renewal: Renewal): Promise<RenewalOutcome> {
  const { id, counter, applied, knowsFormat, label, leaseMs } = renewal;
  const values = [id, counter, applied, knowsFormat, label, leaseMs];
  const sent = connection.together(
    () =>
      [
        connection.run<{ database_time: number }>(renewStatement, values),
        connection.run<RawHead>(headStatement, []),
        connection.run<RawNode>(nodesStatement, []),
      ] as const,
  );
  const [renewed, head, nodes] = await connection.whileArriving(renewTimeoutMs, Promise.all(sent));
  return {
    head: headRow(head.rows),
    nodes: nodeRows(nodes.rows),
    databaseTime: renewed.rows[0]?.database_time ?? Number.NaN,
  };
}

/** @returns all nodes, as of the call or later */
export async function readNodes(connection: SqlConnection): Promise<readonly NodeRow[]> {
  const { rows } = await connection.within(renewTimeoutMs, connection.run<RawNode>(nodesStatement, []));
  return nodeRows(rows);
}

/** @returns whether any node holds a lease by PostgreSQL's clock */
export async function hasLeaseholders(connection: SqlConnection): Promise<boolean> {
  const statement = `select from ${connection.schema}.node
    where renewed_at > now() - lease_ms * interval '1 millisecond' limit 1`;
  const { count } = await connection.within(renewTimeoutMs, connection.run(statement, []));
  return count > 0;
}

/** Removes a node that ends in order, so that no change waits for it. Its lease must have ended before. */
export async function leave(connection: SqlConnection, id: string): Promise<void> {
  await connection.within(renewTimeoutMs, connection.run(leaveStatement, [id]));
}

/**
 * Removes a node whose lease is over by `isSilent`.
 * @param counter that it had then
 * @returns false when it has renewed since, or is gone
 */
export async function removeDead(connection: SqlConnection, id: string, counter: number): Promise<boolean> {
  const { count } = await connection.within(readTimeoutMs, connection.run(removeStatement, [id, counter]));
  return count === 1;
}

/**
 * Notifies a row's author of the position that this node has applied.
 * @param author of the rows that were applied
 */
export async function report(
  connection: SqlConnection,
  author: string,
  node: string,
  position: number,
): Promise<void> {
  const values = [reportChannel(connection.schema, author), `${node} ${position}`];
  await connection.whileArriving(readTimeoutMs, connection.run(notifyStatement, values));
}

/**
 * Receives notifications. They are hints, and may be lost with a connection; only the head and the nodes' rows count.
 */
export interface Listener {
  /** The head has reached this position or a later one. */
  onCommit(position: number): void;
  /** A node has applied this node's rows up to a position. Its row may not have been read yet. */
  onReport(node: string, position: number): void;
}

/** Listens to commits and to reports for this node until the connection is over. Call it once for each connection. */
export async function hearCluster(
  connection: SqlConnection,
  node: string,
  listener: Listener,
): Promise<void> {
  const commits = commitChannel(connection.schema);
  const reports = reportChannel(connection.schema, node);
  assert(/^[0-9A-Za-z]+$/.test(node), 'a node has the id of a process');
  connection.onNotification(({ channel, payload }) => {
    // Any role that may log in can notify, so an invalid payload is ignored.
    const words = payload.split(' ');
    const position = Number(words.at(-1));
    if (!Number.isSafeInteger(position) || position < 1) return;
    if (channel === commits && words.length === 1) listener.onCommit(position);
    if (channel === reports && words.length === 2) listener.onReport(words[0] as string, position);
  });
  await connection.within(readTimeoutMs, connection.run(`listen "${commits}"; listen "${reports}"`, []));
}

export function nodeRows(rows: readonly RawNode[]): readonly NodeRow[] {
  return rows.map(({ knows_format: knowsFormat, lease_ms: leaseMs, ...node }) => ({
    ...node,
    knowsFormat,
    leaseMs,
  }));
}
