import { readFile } from 'node:fs/promises';

const setting = 'BURGEE_CLUSTER_URL';
const passwordSetting = 'BURGEE_CLUSTER_PASSWORD_FILE';
const defaultPort = 5432;
const hostsMax = 16;

/** libpq's modes, without `allow`, which protects from nothing. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

/**
 * Encryption of connections, and trusted certificates. Files are read for each connection, so that they may be
 * renewed.
 */
export interface ClusterTls {
  readonly mode: SslMode;
  /** Null for Node's own authorities. */
  readonly rootCertificateFile: string | null;
  readonly certificate: { readonly certificateFile: string; readonly keyFile: string } | null;
}

/** The setting is wrong. The message says what to write instead, and contains no secret. */
export class ClusterUrlError extends Error {
  override readonly name = 'ClusterUrlError';
}

/** Address of the cluster's PostgreSQL. Its printable properties contain no password. */
export class ClusterUrl {
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly database: string;
  readonly tls: ClusterTls;
  readonly #password: string | null;
  readonly #passwordFile: string | null;

  /** @see parseClusterUrl */
  constructor(
    place: Pick<ClusterUrl, 'hosts' | 'user' | 'database' | 'tls'>,
    password: string | null,
    passwordFile: string | null,
  ) {
    this.hosts = place.hosts;
    this.user = place.user;
    this.database = place.database;
    this.tls = place.tls;
    this.#password = password;
    this.#passwordFile = passwordFile;
  }

  /**
   * @returns null without a password.
   * @throws ClusterUrlError when the file cannot be read or its first line is empty
   */
  async readPassword(): Promise<string | null> {
    if (this.#passwordFile === null) return this.#password;
    const text = await readFile(this.#passwordFile, 'utf8').catch((fault: Error) => {
      throw new ClusterUrlError(`${passwordSetting} cannot be read: ${fault.message}`);
    });
    const [line = ''] = text.split(/\r?\n/, 1);
    if (line === '')
      throw new ClusterUrlError(`${passwordSetting}: the first line of ${this.#passwordFile} is empty`);
    return line;
  }

  /** For logs: without secrets. */
  describe(): string {
    const hosts = this.hosts.map(hostText).join(',');
    return `postgres://${encodeURIComponent(this.user)}@${hosts}/${encodeURIComponent(this.database)}?sslmode=${this.tls.mode}`;
  }
}

/** @returns a host with its port, as a URL has it */
export function hostText({ host, port }: PostgresHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Reads `postgres://user[:password]@host[:port][,host[:port]…]/database[?sslmode=…&sslrootcert=…&sslcert=…&sslkey=…]`.
 * The driver itself takes one host only.
 *
 * @param passwordFile whose first line is the password; null for none
 * @throws ClusterUrlError
 */
export function parseClusterUrl(text: string, passwordFile: string | null): ClusterUrl {
  const shape =
    /^(postgres|postgresql):\/\/(?<authority>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
  const { authority = '', database = '', query = '' } = shape.exec(text)?.groups ?? {};
  const at = authority.lastIndexOf('@');
  if (at < 1 || database === '')
    throw new ClusterUrlError(
      `${setting} must be postgres://USER[:PASSWORD]@HOST[:PORT][,HOST[:PORT]…]/DATABASE; in a user or password write / as %2F, ? as %3F, # as %23 and @ as %40`,
    );
  const credentials = authority.slice(0, at);
  const colon = credentials.indexOf(':');
  const user = decode(colon < 0 ? credentials : credentials.slice(0, colon), 'user');
  const password = colon < 0 ? '' : decode(credentials.slice(colon + 1), 'password');
  if (user === '') throw new ClusterUrlError(`${setting} has no user before the @`);
  if (password !== '' && passwordFile !== null)
    throw new ClusterUrlError(`${setting} has a password and ${passwordSetting} is set: give one of them`);
  return new ClusterUrl(
    {
      hosts: readHosts(authority.slice(at + 1)),
      user,
      database: decode(database, 'database'),
      tls: readTls(query),
    },
    password === '' ? null : password,
    passwordFile,
  );
}

function readHosts(text: string): PostgresHost[] {
  const hosts = text.split(',').map((item) => {
    const match = /^(?:\[(?<address>[0-9A-Fa-f:.]+)\]|(?<name>[^[\]:\s]+))(?::(?<port>\d{1,5}))?$/.exec(item);
    const { address, name = '', port = String(defaultPort) } = match?.groups ?? {};
    const host = address ?? name;
    if (host === '' || Number(port) < 1 || Number(port) > 65535)
      throw new ClusterUrlError(
        `${setting}: "${item}" is not a host: write HOST, HOST:PORT or [IPv6 ADDRESS]:PORT, several with a comma between them`,
      );
    return { host, port: Number(port) };
  });
  if (hosts.length > hostsMax) throw new ClusterUrlError(`${setting} has more than ${hostsMax} hosts`);
  return hosts;
}

function readTls(query: string): ClusterTls {
  const given = new URLSearchParams(query);
  for (const name of given.keys()) {
    if (!parameters.includes(name))
      throw new ClusterUrlError(
        `${setting}: ${name} is not known after the ?: it takes ${parameters.join(', ')}`,
      );
    if (given.getAll(name).length > 1) throw new ClusterUrlError(`${setting} has ${name} more than once`);
  }
  const mode = sslModes.find((known) => known === (given.get('sslmode') ?? 'prefer'));
  if (mode === undefined)
    throw new ClusterUrlError(`${setting}: sslmode must be one of ${sslModes.join(', ')}`);
  const certificateFile = given.get('sslcert');
  const keyFile = given.get('sslkey');
  if ((certificateFile === null) !== (keyFile === null))
    throw new ClusterUrlError(`${setting}: sslcert and sslkey belong together: give both or neither`);
  const root = given.get('sslrootcert');
  if (root !== null && (mode === 'disable' || mode === 'prefer'))
    throw new ClusterUrlError(
      `${setting}: with sslmode=${mode} no certificate is checked: for sslrootcert write sslmode=verify-full`,
    );
  return {
    // As with libpq, `require` with authorities checks them.
    mode: mode === 'require' && root !== null ? 'verify-ca' : mode,
    rootCertificateFile: root === 'system' ? null : root,
    certificate: certificateFile === null || keyFile === null ? null : { certificateFile, keyFile },
  };
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ClusterUrlError(`${setting}: a % in the ${what} must be written as %25`);
  }
}
