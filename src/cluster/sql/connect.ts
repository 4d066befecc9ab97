import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import {
  type ClusterTls,
  type ClusterUrl,
  ClusterUrlError,
  hostText,
  type PostgresHost,
} from '../../config/cluster-url.ts';
import { parseBigint, parseBytea } from './bytea.ts';
import { faultText, SqlConnection } from './connection.ts';
import { schemaIdentifier } from './schema-name.ts';

/**
 * @returns options for Node's TLS; false for a connection without TLS
 * @throws ClusterUrlError when a file cannot be read
 */
async function tlsOptions(tls: ClusterTls): Promise<ConnectionOptions | false> {
  if (tls.mode === 'disable') return false;
  const isVerified = tls.mode === 'verify-ca' || tls.mode === 'verify-full';
  return {
    rejectUnauthorized: isVerified,
    ...(tls.mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(isVerified &&
      tls.rootCertificateFile !== null && { ca: await read('sslrootcert', tls.rootCertificateFile) }),
    ...(tls.certificate !== null && {
      cert: await read('sslcert', tls.certificate.certificateFile),
      key: await read('sslkey', tls.certificate.keyFile),
    }),
  };
}

async function read(parameter: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (fault) {
    throw new ClusterUrlError(
      `${parameter} of BURGEE_CLUSTER_URL cannot be read: ${(fault as Error).message}`,
    );
  }
}

/**
 * Settings that each session sets, so that defaults of the role or the database do not count. The values are as `show` prints them. A silent node
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
class NotDirectError extends Error {
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
async function applySessionSettings(connection: SqlConnection): Promise<void> {
  const all = Object.entries({ ...required, ...keepalives });
  const assignments = all.map(([name, value]) => `set ${name} = '${value}'`).join('; ');
  const [, , shown] = await Promise.all(
    connection.together(
      () =>
        [
          connection.run(assignments, []),
          // Known since PostgreSQL 17. It would end long changes.
          connection.run(
            "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
            [],
          ),
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

/** Timeout for each host to connect, and again to identify the server and make the session's settings. */
const connectTimeoutMs = 1500;
const keepAliveDelayMs = 5000;
/** `client_connection_check_interval` came with 14. */
const oldestServer = 140_000;

export interface ConnectOptions {
  readonly url: ClusterUrl;
  /** Schema of the tables: see `schema-name.ts`. */
  readonly schema: string;
  /** This node's id, or the name of a command. PostgreSQL lists the connection under it. */
  readonly node: string;
  /**
   * Checks the connection before it is returned.
   * @throws Error when it must not be used, although it accepts writes
   */
  require?(connection: SqlConnection): void;
}

/** No host could be used. The message has the reason for each, and no secret. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/**
 * Connects to the primary. It tries all hosts of the URL at once. If several accept writes, for example because an old
 * primary was restarted after a failover, it uses the one that was promoted last.
 * @throws ConnectError
 */
export async function connectToPrimary(options: ConnectOptions): Promise<SqlConnection> {
  const { hosts } = options.url;
  const faults: string[] = hosts.map((host) => `${hostText(host)}: no answer within ${connectTimeoutMs} ms`);
  const found: { readonly index: number; readonly connection: SqlConnection }[] = [];
  const enough = new AbortController();
  const asked = hosts.map(async (host, index) => {
    try {
      const connection = await connectTo(host, options);
      if (enough.signal.aborted) connection.destroy('another server is used');
      else found.push({ index, connection });
    } catch (fault) {
      faults[index] = `${hostText(host)}: ${faultText(fault)}`;
    }
  });
  try {
    await Promise.race([Promise.all(asked), othersAreLate(asked, () => found.length > 0, enough.signal)]);
  } finally {
    enough.abort();
  }
  found.sort(
    (a, b) => b.connection.incarnation.timeline - a.connection.incarnation.timeline || a.index - b.index,
  );
  const [best, ...others] = found;
  for (const { connection } of others) connection.destroy('a server that was promoted later is used');
  if (best !== undefined) {
    try {
      options.require?.(best.connection);
      return best.connection;
    } catch (fault) {
      best.connection.destroy(faultText(fault));
      faults[best.index] = `${hostText(hosts[best.index] as PostgresHost)}: ${faultText(fault)}`;
    }
  }
  throw new ConnectError(`no PostgreSQL takes writes: ${faults.join('; ')}`);
}

/** @returns once a server was found and the others' time to answer is over */
async function othersAreLate(
  asked: readonly Promise<void>[],
  isFound: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const one of asked) void one.then(() => isFound() && resolve());
  });
  await pause(connectTimeoutMs, undefined, { signal }).catch(() => undefined);
}

async function connectTo(host: PostgresHost, options: ConnectOptions): Promise<SqlConnection> {
  const connection = await open(host, options);
  try {
    await connection.within(connectTimeoutMs, prove(connection));
  } catch (fault) {
    connection.destroy(faultText(fault));
    throw fault;
  }
  return connection;
}

async function open(host: PostgresHost, { url, schema, node }: ConnectOptions): Promise<SqlConnection> {
  const password = await url.readPassword();
  const config: ClientConfig = {
    ...host,
    user: url.user,
    database: url.database,
    // Every value is given, so that the driver reads none from the environment.
    password: password ?? missingPassword,
    client_encoding: 'UTF8',
    sslnegotiation: 'postgres',
    application_name: `burgee ${node}`,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    pipeline: true,
    types: { getTypeParser: (type) => parsers.get(type) ?? String },
  };
  const ssl = await tlsOptions(url.tls);
  // Loaded here, so that a single node has no driver.
  const { Client: Driver } = await import('pg');
  const connect = async (withTls: ClientConfig['ssl']): Promise<SqlConnection> => {
    const client = new Driver({ ...config, ssl: withTls ?? false });
    const connection = new SqlConnection(client, hostText(host), schemaIdentifier(schema));
    try {
      await client.connect();
      return connection;
    } catch (fault) {
      connection.destroy(faultText(fault));
      throw fault;
    }
  };
  try {
    return await connect(ssl);
  } catch (fault) {
    const isRefused = /does not support SSL/.test((fault as Error).message);
    if (url.tls.mode === 'prefer' && isRefused) return await connect(false);
    throw fault;
  }
}

function missingPassword(): never {
  throw new Error(
    'the server asks for a password: give it in BURGEE_CLUSTER_URL or by BURGEE_CLUSTER_PASSWORD_FILE',
  );
}

/** PostgreSQL's types by their numbers in its catalogue; anything else is text. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [17, parseBytea],
  [20, parseBigint],
  [21, Number],
  [23, Number],
  [701, Number],
]);

interface Identity {
  readonly pid: number;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly version: number;
  readonly started_at: string;
  readonly timeline: string | null;
  readonly uptime: number;
}

/** The name of a WAL file contains the current timeline; the control file has that of the last checkpoint. */
const identityQuery = `select pg_backend_pid() as pid, pg_is_in_recovery() as is_standby,
  current_setting('transaction_read_only') = 'on' as is_read_only, current_setting('server_version_num')::int as version,
  extract(epoch from pg_postmaster_start_time())::text as started_at,
  (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::bigint as uptime,
  case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

/** @throws Error unless the server accepts writes and the session has its settings */
async function prove(connection: SqlConnection): Promise<void> {
  const { rows } = await connection.run<Identity>(identityQuery, []);
  const identity = rows[0] as Identity;
  if (identity.version < oldestServer) throw new Error('PostgreSQL 14 or newer is needed');
  if (identity.is_standby || identity.timeline === null) throw new Error('it is a standby');
  if (identity.is_read_only) throw new Error('it is read-only');
  if (identity.pid !== connection.serverProcess)
    throw new NotDirectError('who answers is not the process that was connected to');
  await applySessionSettings(connection);
  connection.incarnation = {
    startedAt: identity.started_at,
    timeline: Number.parseInt(identity.timeline, 16),
    uptimeMs: identity.uptime,
  };
}
