import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { connectToPrimary } from '../../src/cluster/sql/connect.ts';
import { parseClusterUrl } from '../../src/config/cluster-url.ts';
import type { ConsoleClient } from '../console/console-client.ts';
import { person, signInAs } from '../console/console-fixture.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries, skip } = findPostgres();
/** Nodes tell one another every 10 s what they have counted. */
const toldWithinMs = 45_000;
/** The console answers so many requests a minute that nobody may ask without a pause. */
const lookEveryMs = 250;

async function evaluate(test: Test, { port }: BootedServer, flag: string, times: number): Promise<void> {
  const client = createHttpClient(test, { port });
  for (let round = 0; round < times; round += 1) {
    test.equal((await client.send({ path: `/v1/flags/${flag}` })).status, 200);
  }
}

/** Waits until all of them show the same. */
async function allShow(
  clients: readonly ConsoleClient[],
  projectId: string,
  flag: string,
  wanted: number,
): Promise<void> {
  const show = async (): Promise<boolean> => {
    const counts = await Promise.all(clients.map((client) => countOn(client, projectId, flag)));
    const isShown = counts.every((count) => count === wanted);
    if (!isShown) await pause(lookEveryMs);
    return isShown;
  };
  await eventually(show, toldWithinMs, `every node shows ${wanted}`);
}

/** @returns NaN from a node that has no lease at the moment: on a busy machine it may miss a renewal */
async function countOn(client: ConsoleClient, projectId: string, flag: string): Promise<number> {
  const answer = await client.send('GET', `/projects/${projectId}/flags/${flag}/evaluations`);
  if (answer.status === 503) return Number.NaN;
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { series } = JSON.parse(answer.text) as { series: { on: number[]; off: number[] }[] };
  return series.flatMap(({ on, off }) => [...on, ...off]).reduce((sum, count) => sum + count, 0);
}

t.test('every node shows what all of them have counted, also after kill -9', { skip }, async (test) => {
  const directory = temporaryDirectory(test);
  const organisations = [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [person('owner')].map((owner) => ({ ...owner, password: 'correct horse battery' })),
      projects: [
        { name: 'shop', flags: [{ name: 'checkout' }], tokens: [{ name: 'ci', permission: 'read' }] },
      ],
    },
  ];
  const provisioned = await provision(directory, temporaryDirectory(test), { organisations });
  const project = projectOf(provisioned, 'shop');
  const [flag, token] = [idOf(project.flags, 'checkout'), tokenOf(project, 'ci')];
  const cluster = await createCluster(test, binaries as PostgresBinaries, directory);
  const nodes = [await cluster.boot(directory), await cluster.boot(), await cluster.boot()];
  for (const [index, node] of nodes.entries()) await evaluate(test, node, flag, 10 + index);
  for (const { port } of nodes) {
    const read = { path: `/api/v1/flags/${flag}`, headers: bearer(token.secret) };
    test.equal((await createHttpClient(test, { port }).send(read)).status, 200);
  }
  const showing = async (shownBy: readonly BootedServer[], wanted: number): Promise<void> => {
    const clients = await Promise.all(shownBy.map((node) => signInAs(test, node, 'owner@acme.example')));
    await allShow(clients, project.id, flag, wanted);
  };
  await showing(nodes, 33);
  for (const node of nodes) {
    const client = await signInAs(test, node, 'owner@acme.example');
    const answer = await client.send('GET', `/projects/${project.id}/tokens/${token.id}`);
    const { uses } = JSON.parse(answer.text) as { uses: { count: number }[] };
    test.equal(
      uses.reduce((sum, { count }) => sum + count, 0),
      3,
      'uses of a token on all nodes',
    );
  }

  const [first, second, third] = nodes as [BootedServer, BootedServer, BootedServer];
  await evaluate(test, third, flag, 7);
  const owner = await signInAs(test, third, 'owner@acme.example');
  await allShow([owner], project.id, flag, 40);
  third.signal('SIGKILL');
  await third.ended;
  const again = await cluster.boot(third.dataDir);
  await evaluate(test, again, flag, 2);
  await again.stop();
  await showing([first, second], 42);

  test.comment('reports of usage that are sent again');
  const report = async ({ port }: BootedServer, reportId: string) => {
    const { status, text } = await createHttpClient(test, { port }).send({
      method: 'POST',
      path: `/sync/v1/usage/${project.id}`,
      headers: bearer(token.secret),
      body: JSON.stringify({ reportId, flags: [{ id: flag, on: 50, off: 50 }] }),
    });
    test.equal(status, 200);
    return (JSON.parse(text) as { isRepeated: boolean }).isRepeated;
  };
  test.equal(await report(first, 'report-0001'), false);
  test.equal(await report(second, 'report-0001'), true, 'by another node');
  test.equal(await report(first, 'report-0001'), true);
  const together = await Promise.all([first, second].map((node) => report(node, 'report-0002')));
  test.same(together.sort(), [false, true], 'at the same time');
  await showing([first, second], 242);

  test.comment('without an answer of PostgreSQL');
  const url = parseClusterUrl(cluster.postgres.url(), null);
  const other = await connectToPrimary({ url, schema: 'burgee', node: 'test' });
  test.teardown(() => other.end());
  await other.run("begin; set local idle_in_transaction_session_timeout = '60s'", []);
  await other.run('lock table burgee.attempt', []);
  test.equal(await report(first, 'report-0003'), false, 'a node counts what it has not counted itself');
  test.equal(await report(first, 'report-0003'), true, 'once');
  await other.run('rollback', []);

  test.comment('counts of earlier hours');
  await showing([first, second], 342);
  for (const hours of [1, 20]) {
    await other.run(
      `insert into burgee.usage select kind, bucket - $1::bigint * 3600000, key, 'elsewhere', 1000, 0, clock_timestamp()
       from burgee.usage order by bucket desc limit 1`,
      [hours],
    );
  }
  await showing([await cluster.boot()], 2342);
});
