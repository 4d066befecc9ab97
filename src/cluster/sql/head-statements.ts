import type { SqlConnection, Statement } from './connection.ts';
import type { Head } from './rows.ts';
import { readTimeoutMs } from './time-limits.ts';

export const headColumns =
  'store, schema, format, position, checksum, kept_from, (extract(epoch from closed_at) * 1000)::bigint as closed_at';

export const headStatement: Statement = {
  name: 'head',
  text: (schema) => `select ${headColumns} from ${schema}.head`,
};

export interface RawHead extends Omit<Head, 'keptFrom' | 'closedAt'> {
  readonly kept_from: number;
  readonly closed_at: number | null;
}

/** There is a schema, and no cluster in it. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError';

  constructor() {
    super('there is no cluster in this schema of PostgreSQL yet: make one with burgee cluster create');
  }
}

/** @throws NoClusterError when nothing was uploaded yet */
export function headRow([row]: readonly RawHead[]): Head {
  if (row === undefined) throw new NoClusterError();
  const { kept_from: keptFrom, closed_at: closedAt, ...rest } = row;
  return { ...rest, keptFrom, closedAt };
}

/** @throws NoClusterError when nothing was uploaded yet */
export async function readClusterHead(connection: SqlConnection): Promise<Head> {
  const { rows } = await connection.within(readTimeoutMs, connection.run<RawHead>(headStatement, []));
  return headRow(rows);
}

const confirmStatement: Statement = {
  name: 'confirm',
  text: (schema) => `update ${schema}.head set kept_from = kept_from`,
};

/**
 * Makes the server and its synchronous standby confirm all visible rows. After a crash, PostgreSQL may show rows that
 * the standby never received. A plain read does not wait for the standby.
 * @throws ConnectionOverError when the standby is away for too long; PostgreSQL's 55P03 when another session waits
 * for it
 */
export async function confirmHead(connection: SqlConnection): Promise<void> {
  connection.takeLocalOnly();
  await connection.within(readTimeoutMs, connection.run(confirmStatement, []));
  if (connection.takeLocalOnly()) throw new Error('the wait for the synchronous standby was cancelled');
}

/** @returns the chain's checksum before the oldest row of the log, at position `Head.keptFrom` - 1 */
export async function readKeptChecksum(connection: SqlConnection): Promise<Buffer> {
  const query = `select kept_checksum as checksum from ${connection.schema}.head`;
  const { rows } = await connection.within(readTimeoutMs, connection.run<{ checksum: Buffer }>(query, []));
  const [row] = rows;
  if (row === undefined) throw new NoClusterError();
  return row.checksum;
}
