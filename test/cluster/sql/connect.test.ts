import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { connectToPrimary } from '../../../src/cluster/sql/connect.ts';
import type { SqlConnection } from '../../../src/cluster/sql/connection.ts';
import { Incarnations } from '../../../src/cluster/thread/incarnations.ts';
import { parseClusterUrl } from '../../../src/config/cluster-url.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import { debianPrograms, pathOf } from '../../support/debian-programs.ts';
import { freePort } from '../../support/free-port.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { findPostgres, own, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import { type PostgresServer, startPostgres, startStandby } from '../../support/postgres/postgres-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { connectForTest } from './support/test-cluster.ts';

const { binaries: found, skip } = findPostgres();
const binaries = found as PostgresBinaries;
const openssl = debianPrograms('openssl');
t.setTimeout(60_000);

const shared = skip === false ? await startPostgres(t, binaries) : null;
const server = shared as PostgresServer;

function open(t: Lifetime, text: string, passwordFile: string | null = null): Promise<SqlConnection> {
  return connectToPrimary({ url: parseClusterUrl(text, passwordFile), schema: 'burgee', node: 'n' }).then(
    (connection) => {
      t.teardown(() => connection.end());
      return connection;
    },
  );
}

async function show(connection: SqlConnection, name: string): Promise<string | undefined> {
  const { rows } = await connection.run<{ value: string }>(`select current_setting('${name}') as value`, []);
  return rows[0]?.value;
}

t.test('a session has its time-outs, whatever the role’s defaults are', { skip }, async (t) => {
  const admin = await open(t, server.url());
  await admin.run(
    `create role careless login superuser password 'x';
     alter role careless set synchronous_commit = off; alter role careless set bytea_output = 'escape';
     alter role careless set default_transaction_isolation = 'serializable'; alter role careless set lock_timeout = 0;
     alter role careless set transaction_timeout = '500ms'`,
    [],
  );
  const connection = await open(t, server.url('postgres', 'careless:x'));
  for (const [name, value] of [
    ['synchronous_commit', 'on'],
    ['lock_timeout', '2s'],
    ['statement_timeout', '10s'],
    ['idle_in_transaction_session_timeout', '2s'],
    ['transaction_timeout', '0'],
    ['client_connection_check_interval', '1s'],
    ['default_transaction_isolation', 'read committed'],
    ['bytea_output', 'hex'],
    ['tcp_keepalives_idle', '5'],
    ['tcp_keepalives_interval', '2'],
    ['tcp_keepalives_count', '3'],
    ['tcp_user_timeout', '8000'],
    ['application_name', 'burgee n'],
  ] as const)
    t.equal(await show(connection, name), value, name);
  const { rows } = await admin.run<{ name: string }>(
    "select name from pg_settings where name like '%timeout' and context = 'user' order by name",
    [],
  );
  t.same(
    rows.map(({ name }) => name),
    [
      ...['idle_in_transaction_session_timeout', 'idle_session_timeout', 'lock_timeout', 'statement_timeout'],
      ...['tcp_user_timeout', 'transaction_timeout', 'wal_sender_timeout'],
    ],
    'no timeout is forgotten; the last is for standbys',
  );
  t.match(connection.incarnation, { startedAt: /^\d{10}[.]\d+$/, timeline: 1 });
});

t.test(
  'the password comes from the URL or the file; a wrong or missing one says where to look',
  { skip },
  async (t) => {
    const admin = await open(t, server.url());
    await admin.run(`create role secretive login password 'p@ss/word'`, []);
    await t.resolves(open(t, server.url('postgres', 'secretive:p%40ss%2Fword')));
    const file = join(temporaryDirectory(t), 'password');
    writeFileSync(file, 'p@ss/word\n');
    await t.resolves(open(t, server.url('postgres', 'secretive'), file));
    const wrong = await open(t, server.url('postgres', 'secretive:wr0ng')).catch(
      (fault: Error) => fault.message,
    );
    t.match(wrong, /password authentication failed for user "secretive": look at the user and the password/);
    t.notMatch(wrong, 'wr0ng');
    await t.rejects(
      open(t, server.url('postgres', 'secretive')),
      /asks for a password: give it in BURGEE_CLUSTER_URL/,
    );
    await t.rejects(open(t, server.url('nowhere')), /database "nowhere" does not exist/);
  },
);

t.test('of several hosts that is used which takes writes, also after a promotion', { skip }, async (t) => {
  const primary = await startPostgres(t, binaries);
  const standby = await startStandby(t, binaries, primary, { isSynchronous: true });
  const nobody = await freePort();
  const hosts = (...ports: readonly number[]): string =>
    `postgres://burgee@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
  const first = await open(t, hosts(nobody, standby.port, primary.port));
  t.equal(first.host, `127.0.0.1:${primary.port}`);
  t.equal(first.incarnation.timeline, 1);
  await t.rejects(
    open(t, hosts(nobody, standby.port)),
    new RegExp(
      `no PostgreSQL takes writes: 127.0.0.1:${nobody}: .*ECONNREFUSED.*; 127.0.0.1:${standby.port}: it is a standby`,
    ),
  );
  await primary.killHard();
  t.match((await first.ended).message, /is over/);
  await standby.promote();
  const second = await open(t, hosts(primary.port, standby.port));
  t.equal(second.host, `127.0.0.1:${standby.port}`);
  t.equal(second.incarnation.timeline, 2, 'the timeline rises');
  await primary.start();
  const left = await open(t, hosts(primary.port));
  t.equal(left.incarnation.timeline, 1, 'what was left behind takes writes, too');
  let changes = 0;
  const incarnations = new Incarnations(() => {
    changes += 1;
  });
  for (const connection of [left, second]) incarnations.require(connection);
  t.equal(left.isOver, true, 'once a newer one has answered, nothing is asked of it any more');
  t.same([second.isOver, changes], [false, 2]);
  const beside = await open(t, hosts(primary.port, standby.port));
  t.equal(beside.host, `127.0.0.1:${standby.port}`, 'and is left alone beside the newer one');
  await standby.stop();
  await standby.start();
  const third = await open(t, hosts(standby.port));
  const isOld = (connection: SqlConnection): void => {
    if (connection.incarnation.timeline === 2) throw new Error('too new');
  };
  const url = parseClusterUrl(hosts(standby.port, primary.port), null);
  const other = connectToPrimary({ url, schema: 'burgee', node: 'n', require: isOld });
  await t.rejects(other, /too new/, 'where that one is refused, no older one is used');
  t.equal(third.incarnation.timeline, 2);
  t.not(third.incarnation.startedAt, second.incarnation.startedAt, 'another start');
});

t.test('a commit that was confirmed by one server alone is noticed', { skip }, async (t) => {
  const primary = await startPostgres(t, binaries);
  const standby = await startStandby(t, binaries, primary, { isSynchronous: true });
  const admin = await open(t, primary.url());
  await admin.run('create table public.noted(i int)', []);
  t.equal(admin.takeLocalOnly(), false);
  await standby.stop('SIGQUIT');
  const waiting = await open(t, primary.url());
  const inserted = waiting.run('insert into public.noted values (1)', []);
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  while ((await admin.run(cancel, [])).count === 0);
  t.equal((await inserted).count, 1, 'it succeeds');
  t.equal(waiting.takeLocalOnly(), true);
  t.equal(waiting.takeLocalOnly(), false, 'said once');
});

t.test('an answer that comes late ends the connection', { skip }, async (t) => {
  const connection = await open(t, server.url());
  const slow = connection.run('select pg_sleep(5)', []);
  const behind = connection.run('select 1', []);
  const late = { name: 'ConnectionOverError', message: /no answer within 50 ms/ };
  await Promise.all([
    t.rejects(connection.within(50, slow), late),
    t.rejects(behind, late),
    connection.ended.then(({ message }) => t.match(message, /no answer within 50 ms/)),
  ]);
  t.equal(connection.isOver, true);
  await t.rejects(connection.run('select 1', []), late);
  await connection.end();
});

t.test('a connection that is killed, or whose server stops, is over with the reason', { skip }, async (t) => {
  const own = await startPostgres(t, binaries);
  const [one, two, three] = [await open(t, own.url()), await open(t, own.url()), await open(t, own.url())];
  await two.run('select pg_terminate_backend($1::int)', [one.serverProcess]);
  t.match((await one.ended).message, /terminating connection due to administrator command/);
  const under = two.run('select pg_sleep(5)', []);
  await Promise.all([t.rejects(under, { name: 'ConnectionOverError' }), own.stop('SIGINT')]);
  t.match((await three.ended).message, /terminating connection due to administrator command/);
});

t.test('a server that does not answer is not waited for, and another is used', { skip }, async (t) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(
    0,
    '127.0.0.1',
  );
  await once(silent, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  const connection = await open(t, `postgres://burgee@127.0.0.1:${port},127.0.0.1:${server.port}/postgres`);
  t.equal(connection.host, `127.0.0.1:${server.port}`);
  await t.rejects(open(t, `postgres://burgee@127.0.0.1:${port}/postgres`), /timeout expired/);
});

/** Stands between, as a pooler does, and changes what is said in one direction or the other. */
async function startPooler(t: Lifetime, change: { asked?: Change; answered?: Change }): Promise<string> {
  const pooler = createServer((client) => {
    const behind = connectSocket(server.port, '127.0.0.1');
    for (const socket of [client, behind]) socket.on('error', () => undefined);
    client.on('data', (chunk) => behind.write(change.asked?.(chunk) ?? chunk));
    behind.on('data', (chunk) => client.write(change.answered?.(chunk) ?? chunk));
    behind.on('close', () => client.destroy());
    client.on('close', () => behind.destroy());
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  t.teardown(() => pooler.close());
  return `postgres://burgee@127.0.0.1:${(pooler.address() as { port: number }).port}/postgres`;
}

type Change = (chunk: Buffer) => Buffer;

t.test('through a pooler connecting fails, and says what to do', { skip }, async (t) => {
  const message = 'connect to PostgreSQL directly, not through a pooler such as PgBouncer';
  const itsOwnProcess = await startPooler(t, {
    answered: (chunk) => {
      const key = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (key >= 0) chunk.writeInt32BE(4711, key + 5);
      return chunk;
    },
  });
  await t.rejects(open(t, itsOwnProcess), new RegExp(`${message}: who answers is not the process`));
  const withoutSettings = await startPooler(t, {
    asked: (chunk) =>
      Buffer.from(
        chunk.toString('latin1').replace("set lock_timeout = '2s'", "set lock_timeout = '0s'"),
        'latin1',
      ),
  });
  await t.rejects(open(t, withoutSettings), new RegExp(`${message}: lock_timeout was set to 2s and is 0`));
  await t.resolves(open(t, await startPooler(t, {})), 'what changes nothing may stand between');
});

t.test('what arrives slowly is not late while it arrives', { skip }, async (t) => {
  const [pieceBytes, pieceMs, patienceMs] = [20_000, 20, 400];
  const forward = async (from: AsyncIterable<Buffer>, to: Socket): Promise<void> => {
    for await (const chunk of from) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        to.write(chunk.subarray(at, at + pieceBytes));
        await pause(pieceMs);
      }
    }
  };
  const slow = createServer((client) => {
    const behind = connectSocket(server.port, '127.0.0.1');
    client.on('error', () => undefined).pipe(behind);
    client.on('close', () => behind.destroy());
    forward(behind, client).catch(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  t.teardown(() => slow.close());
  const url = `postgres://burgee@127.0.0.1:${(slow.address() as { port: number }).port}/postgres`;
  const ask = `select repeat('x', 1000000) as value`;
  const patient = await open(t, url);
  const begunAt = monotonicMs();
  const { rows } = await patient.whileArriving(patienceMs, patient.run<{ value: string }>(ask, []));
  t.equal(rows[0]?.value.length, 1_000_000);
  t.ok(monotonicMs() - begunAt > 2 * patienceMs, 'it has taken longer');
  const silent = { message: /no answer within 400 ms/ };
  await t.rejects(patient.whileArriving(patienceMs, patient.run('select pg_sleep(5)', [])), silent);
});

t.test('notifications are no answers', { skip }, async (t) => {
  let isDeaf = false;
  const deaf = createServer((client) => {
    const behind = connectSocket(server.port, '127.0.0.1');
    for (const socket of [client, behind]) socket.on('error', () => undefined);
    client.on('data', (chunk) => isDeaf || behind.write(chunk));
    behind.pipe(client);
    client.on('close', () => behind.destroy());
  }).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  t.teardown(() => deaf.close());
  const listening = await open(
    t,
    `postgres://burgee@127.0.0.1:${(deaf.address() as { port: number }).port}/postgres`,
  );
  let heard = 0;
  listening.onNotification(() => {
    heard += 1;
  });
  await listening.run('listen news', []);
  const speaking = await open(t, server.url());
  const timer = setInterval(() => void speaking.run(`notify news, 'what is new'`, []), 50);
  t.teardown(() => clearInterval(timer));
  await listening.whileArriving(400, listening.run('select 1', []));
  isDeaf = true;
  const late = { message: /no answer within 400 ms/ };
  await t.rejects(listening.whileArriving(400, listening.run('select 1', [])), late);
  t.ok(heard > 2, `${heard} came meanwhile`);
});

const tlsSkip = skip === false ? openssl.skip : skip;

/** Makes a key and a certificate that signs itself, as `NAME.key` and `NAME.crt` in the folder. */
function makeSelfSigned(folder: string, name: string, subject: string, ...options: string[]): void {
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3'.split(' ');
  const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
  const args = [...kind, '-subj', `/CN=${subject}`, ...options, ...files];
  const made = spawnSync(pathOf(openssl, 'openssl'), args, { cwd: folder, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
}

/** A server with a certificate of its own for 127.0.0.1, `server.crt` in the folder. */
async function startEncrypted(
  t: Lifetime,
  folder: string,
  files: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  makeSelfSigned(folder, 'server', 'db.test', '-addext', 'subjectAltName=IP:127.0.0.1');
  const encrypted = await startPostgres(t, binaries);
  await encrypted.stop();
  for (const name of ['server.key', 'server.crt', ...files]) {
    const place = join(encrypted.directory, name);
    copyFileSync(join(folder, name), place);
    chmodSync(place, 0o600);
    own(place);
  }
  const encryption = { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' };
  encrypted.settings = { ...encrypted.settings, ...encryption, ...settings };
  await encrypted.start();
  return encrypted;
}

t.test(
  'connections are encrypted, and certificates checked, as sslmode says',
  { skip: tlsSkip },
  async (t) => {
    const folder = temporaryDirectory(t);
    const encrypted = await startEncrypted(t, folder, []);
    const to = (host: string, query: string, port = encrypted.port): Promise<boolean> =>
      open(t, `postgres://burgee@${host}:${port}/postgres?${query}`).then(async (connection) => {
        const ssl = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
        return (await connection.run<{ ssl: boolean }>(ssl, [])).rows[0]?.ssl ?? false;
      });
    t.equal(await to('127.0.0.1', 'sslmode=disable'), false);
    t.equal(await to('127.0.0.1', ''), true, 'preferred');
    t.equal(await to('127.0.0.1', '', server.port), false, 'preferred, and there is none');
    t.equal(await to('127.0.0.1', 'sslmode=require'), true);
    await t.rejects(to('127.0.0.1', 'sslmode=require', server.port), /does not support SSL/);
    const root = `sslrootcert=${encodeURIComponent(join(folder, 'server.crt'))}`;
    t.equal(await to('127.0.0.1', `sslmode=verify-ca&${root}`), true);
    t.equal(await to('localhost', `sslmode=verify-ca&${root}`), true, 'whatever its name');
    t.equal(await to('127.0.0.1', `sslmode=verify-full&${root}`), true);
    await t.rejects(to('localhost', `sslmode=verify-full&${root}`), /does not match certificate's altnames/);
    await t.rejects(to('localhost', 'sslmode=verify-full'), /self-signed certificate/);
    await t.rejects(
      to('localhost', 'sslmode=verify-full&sslrootcert=%2Fnowhere'),
      /sslrootcert of BURGEE_CLUSTER_URL cannot be read: ENOENT/,
    );
  },
);

t.test('a role whose certificate is its password connects with it alone', { skip: tlsSkip }, async (t) => {
  const folder = temporaryDirectory(t);
  makeSelfSigned(folder, 'node', 'burgee');
  makeSelfSigned(folder, 'stranger', 'burgee');
  writeFileSync(join(folder, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 cert\n');
  const settings = { ssl_ca_file: 'node.crt' };
  const encrypted = await startEncrypted(t, folder, ['node.crt', 'pg_hba.conf'], settings);
  const as = (name: string | null, query = 'sslmode=require'): Promise<SqlConnection> => {
    const part = (key: string, ending: string): string =>
      name === null ? '' : `&${key}=${encodeURIComponent(join(folder, `${name}.${ending}`))}`;
    return open(t, `${encrypted.url()}?${query}${part('sslcert', 'crt')}${part('sslkey', 'key')}`);
  };
  const seen = 'select client_dn from pg_stat_ssl where pid = pg_backend_pid()';
  const { rows } = await (await as('node')).run<{ client_dn: string }>(seen, []);
  t.equal(rows[0]?.client_dn, '/CN=burgee');
  const root = `sslrootcert=${encodeURIComponent(join(folder, 'server.crt'))}`;
  await t.resolves(as('node', `sslmode=verify-full&${root}`));
  await t.rejects(as(null), /requires a valid client certificate/);
  await t.rejects(as('stranger'), /unknown ca|certificate/i);
  await t.rejects(as('nobody'), /sslcert of BURGEE_CLUSTER_URL cannot be read: ENOENT/);
});

t.test('a schema’s name is taken as it is, or refused', { skip }, async (t) => {
  t.equal((await connectForTest(t, server.url(), 'team_2')).schema, '"team_2"');
  for (const name of ['', 'Upper', '2nd', 'a"b', 'a-b', 'pg_mine', 'x'.repeat(31)])
    await t.rejects(
      connectForTest(t, server.url(), name),
      /is not a schema's name: BURGEE_CLUSTER_SCHEMA takes/,
    );
});
