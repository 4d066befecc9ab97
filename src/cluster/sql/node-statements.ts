import { assert } from '../../support/assert.ts';
import type { SqlConnection, Statement } from './connection.ts';
import { headRow, headStatement, type RawHead } from './head-statements.ts';
import type { Head, NodeRow } from './rows.ts';
import { commitChannel, reportChannel } from './schema-name.ts';
import { readTimeoutMs } from './time-limits.ts';

/** How long a renewal may wait in vain until its connection is given up: the lease goes on running meanwhile. */
const renewTimeoutMs = 2000;
/** More nodes than anybody runs: rows of nodes that died are removed by the others. */
export const nodesMax = 1000;

export interface Renewal {
  /** New for each process. */
  readonly id: string;
  /** One more with each renewal, over all connections of the process. */
  readonly counter: number;
  /** The position that this node has applied. */
  readonly applied: number;
  /** The newest format that it can decode. */
  readonly knowsFormat: number;
  /** What people know it by: its host, its version. */
  readonly label: string;
  /** How long its lease is. */
  readonly leaseMs: number;
}

export interface RenewalOutcome {
  /** Read after the renewal was committed: a node that joins is ready once it has applied this position. */
  readonly head: Head;
  /** All nodes, this one included. */
  readonly nodes: readonly NodeRow[];
  /** The database's clock when it renewed, in Unix milliseconds. */
  readonly databaseTime: number;
}

export interface RawNode extends Omit<NodeRow, 'knowsFormat' | 'leaseMs'> {
  readonly knows_format: number;
  readonly lease_ms: number | null;
}

export const nodesStatement: Statement = {
  name: 'nodes',
  text: (schema) =>
    `select id, counter, applied, knows_format, lease_ms from ${schema}.node order by id limit ${nodesMax}`,
};

/** One that comes late, on a connection that was given up, changes nothing: the counter only rises. */
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
 * Renews this node's lease, or joins. In one message behind it, each in a transaction of its own: the head and the nodes.
 * @throws ConnectionOverError once nothing has come for 2 s: rows of the log that were asked for before come first
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

/** @returns all nodes. Take the time before it is called: what it shows is not older. */
export async function readNodes(connection: SqlConnection): Promise<readonly NodeRow[]> {
  const { rows } = await connection.within(renewTimeoutMs, connection.run<RawNode>(nodesStatement, []));
  return nodeRows(rows);
}

/** @param leaseMs of nodes that tell none. @returns whether a node has renewed its lease within its length, by PostgreSQL's clock */
export async function hasLeaseholders(connection: SqlConnection, leaseMs: number): Promise<boolean> {
  const statement = `select from ${connection.schema}.node
    where renewed_at > now() - coalesce(lease_ms, $1::int) * interval '1 millisecond' limit 1`;
  const { count } = await connection.within(renewTimeoutMs, connection.run(statement, [leaseMs]));
  return count > 0;
}

/** A node that ends in order: nobody waits for it any more. Its lease must have ended before. */
export async function leave(connection: SqlConnection, id: string): Promise<void> {
  await connection.within(renewTimeoutMs, connection.run(leaveStatement, [id]));
}

/**
 * Removes a node whose lease is over by the rule for that.
 * @param counter with which it was found dead
 * @returns false when it has renewed since, or is gone
 */
export async function removeDead(connection: SqlConnection, id: string, counter: number): Promise<boolean> {
  const { count } = await connection.within(readTimeoutMs, connection.run(removeStatement, [id, counter]));
  return count === 1;
}

/**
 * Tells the node that decided a row how far this one is.
 * @param author whose rows were applied
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

/** What a node hears. Notifications are hints, and may be lost with a connection: the head and the nodes' rows are what counts. */
export interface Listener {
  /** The head is there, or further. */
  onCommit(position: number): void;
  /** A node has applied this node's rows up to there. It may be one whose row was not read yet. */
  onReport(node: string, position: number): void;
}

/** Hears commits, and reports for this node, until the connection is over. Once for a connection. */
export async function hearCluster(
  connection: SqlConnection,
  node: string,
  listener: Listener,
): Promise<void> {
  const commits = commitChannel(connection.schema);
  const reports = reportChannel(connection.schema, node);
  assert(/^[0-9A-Za-z]+$/.test(node), 'a node has the id of a process');
  connection.onNotification(({ channel, payload }) => {
    // Whoever may log in to the database may notify: what is no position is left alone.
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
