import t from 'tap';
import { connectToPrimary } from '../../src/cluster/sql/connect.ts';
import { parseClusterUrl } from '../../src/config/cluster-url.ts';
import { ConsoleClient } from '../console/console-client.ts';
import { password, person } from '../console/console-fixture.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries, skip } = findPostgres();
t.setTimeout(180_000);

const wrong = { email: 'owner@acme.example', password: 'not this one' };
const right = { email: 'owner@acme.example', password };

function signIn(
  server: BootedServer,
  body: object,
  localAddress = '127.0.0.9',
): Promise<{ readonly status: number; header(name: string): string | undefined }> {
  return new ConsoleClient(t, { port: server.port, localAddress }).send('POST', '/session', body);
}

t.test('wrong passwords are limited by what all nodes have counted', { skip }, async (t) => {
  const directory = temporaryDirectory(t);
  const document = { organisations: [{ name: 'acme', plan: 'enterprise', members: [person('owner')] }] };
  await provision(directory, temporaryDirectory(t), document);
  const cluster = await createCluster(t, binaries as PostgresBinaries, directory);
  const nodes = [await cluster.boot(directory), await cluster.boot()];
  const [first, second] = nodes as [BootedServer, BootedServer];
  const nodeOf = (round: number): BootedServer => (round % 2 === 0 ? first : second);

  t.equal((await signIn(first, right)).status, 200);
  t.equal((await signIn(second, right)).status, 200, 'right ones do not count');
  const statuses: number[] = [];
  for (let round = 0; round < 11; round += 1) statuses.push((await signIn(nodeOf(round), wrong)).status);
  t.strictSame(statuses, [401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 429]);
  for (const node of nodes) {
    const limited = await signIn(node, right);
    t.equal(limited.status, 429, 'no node takes more from this address');
    t.ok(Number(limited.header('retry-after')) > 60);
    t.equal((await signIn(node, right, '127.0.0.10')).status, 200, 'the member is not locked out');
  }

  const owner = new ConsoleClient(t, { port: second.port });
  t.equal((await owner.send('POST', '/session', right)).status, 200);
  const { entries } = (await owner.send('GET', '/audit?action=session.refuse')).json;
  t.equal(entries.length, 2, 'each node records its first one at once, in the log of all');

  t.comment('simultaneous attempts');
  const email = 'nobody@acme.example';
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, round) => signIn(nodeOf(round), { ...wrong, email }, '127.0.0.11')),
  );
  const admitted = answers.filter(({ status }) => status === 401).length;
  t.ok(admitted > 0 && admitted <= 10, `${admitted} attempts were admitted`);
  t.equal(answers.filter(({ status }) => status === 429 || status === 401).length, 30);

  t.comment('without an answer of PostgreSQL');
  const url = parseClusterUrl(cluster.postgres.url(), null);
  const other = await connectToPrimary({ url, schema: 'burgee', node: 'test' });
  t.teardown(() => other.end());
  await other.run("begin; set local idle_in_transaction_session_timeout = '60s'", []);
  await other.run('lock table burgee.attempt', []);
  const alone = { ...wrong, email: 'alone@acme.example' };
  t.equal((await signIn(first, alone, '127.0.0.12')).status, 401, "the node's own limit holds");
  t.equal((await signIn(first, right, '127.0.0.12')).status, 200);
  await other.run('rollback', []);
});
