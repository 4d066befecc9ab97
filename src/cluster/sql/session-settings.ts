import type { SqlConnection } from './connection.ts';

/**
 * Required settings of each session, whatever the defaults of role or database, as `show` prints them. A silent node
 * must not hold the head's lock for longer than `idle_in_transaction_session_timeout`, and no commit may be answered
 * before it is durable.
 */
const required: Readonly<Record<string, string>> = {
  synchronous_commit: 'on',
  lock_timeout: '2s',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '2s',
  idle_session_timeout: '0',
  client_connection_check_interval: '1s',
  default_transaction_isolation: 'read committed',
  search_path: 'pg_catalog',
  client_encoding: 'UTF8',
  bytea_output: 'hex',
};

/**
 * With these the server notices that a client is gone. They are not verified, because a server without support for
 * one shows 0.
 */
const keepalives: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '8000',
};

/** A pooler between this connection and the server. */
export class NotDirectError extends Error {
  override readonly name = 'NotDirectError';

  constructor(what: string) {
    super(
      `connect to PostgreSQL directly, not through a pooler such as PgBouncer: ${what}. Give the server's own host and port in BURGEE_CLUSTER_URL`,
    );
  }
}

/**
 * Makes the session's settings, and reads them back in another transaction: a pooler may drop them silently, or use
 * another session for the next transaction.
 * @throws NotDirectError
 */
export async function applySessionSettings(connection: SqlConnection): Promise<void> {
  const all = Object.entries({ ...required, ...keepalives });
  const assignments = all.map(([name, value]) => `set ${name} = '${value}'`).join('; ');
  const [, shown] = await Promise.all(
    connection.together(
      () =>
        [
          connection.run(assignments, []),
          connection.run<{ name: string; value: string }>(
            'select name, current_setting(name) as value from unnest($1::text[]) as name',
            [Object.keys(required)],
          ),
        ] as const,
    ),
  );
  for (const { name, value } of shown.rows) {
    if (value !== required[name])
      throw new NotDirectError(`${name} was set to ${required[name]} and is ${value}`);
  }
}
