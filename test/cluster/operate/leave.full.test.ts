import t from 'tap';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { closeCluster } from '../../../src/cluster/sql/record-statements.ts';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { isDetached, operatedCluster, percentageOf, placeOf, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(240_000);
const file = t;

t.test(
  'one directory goes on alone with the newest state, and running nodes stay detached',
  { skip },
  async (t) => {
    const cluster = await operatedCluster(file, t, database);
    const { directory } = cluster;
    t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
    const [first, second] = [await cluster.boot(directory), await cluster.boot()];
    t.equal(await setPercentage(first, cluster, 10), 200);
    const held = await cluster.burgee('cluster', 'leave', '--force', '--data-dir', directory);
    t.equal(held.code, 1, 'a directory that is served');
    await first.stop();
    for (const percentage of [20, 30]) t.equal(await setPercentage(second, cluster, percentage), 200);

    const refused = await cluster.burgee('cluster', 'leave', '--data-dir', directory);
    t.equal(refused.code, 1);
    t.match(refused.stderr, /Nodes hold leases/);
    t.equal(await setPercentage(second, cluster, 31), 200, 'the cluster goes on');

    const left = await cluster.burgee('cluster', 'leave', '--force', '--data-dir', directory);
    t.equal(left.code, 0, left.stderr);
    t.match(JSON.parse(left.stdout), { dataDir: directory, position: Number });
    t.equal(await isDetached(second, cluster), true, 'by the time that the command has ended');
    t.equal(await setPercentage(second, cluster, 40), 503);

    const alone = await bootServer(t, { dataDir: directory, settings: unlimited });
    t.equal(await percentageOf(alone, cluster), 31);
    t.equal(await setPercentage(alone, cluster, 50), 200);
    t.equal(await percentageOf(alone, cluster), 50);
    t.equal(await isDetached(second, cluster), true);
    await second.stop();

    const status = await cluster.burgee('cluster', 'status');
    t.equal(status.code, 1);
    t.match(status.stdout, /closed by `burgee cluster leave`/);
    const late = await cluster.boot(second.dataDir);
    await eventually(
      () => isDetached(late, cluster),
      5000,
      'a node that is started again says that it is detached',
    );
    await t.rejects(cluster.boot(), /closed by `burgee cluster leave`/, 'a new directory becomes no node');
  },
);

t.test('nodes that change things all the time cannot keep it from its end', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const node = await cluster.boot();
  let isOver = false;
  const change = async (client: number): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) await setPercentage(node, cluster, (client + turn) % 100);
  };
  const changed = Promise.all(Array.from({ length: 16 }, (_, client) => change(client)));
  const left = await cluster.burgee('cluster', 'leave', '--force', '--data-dir', directory);
  isOver = true;
  await changed;
  const status = await cluster.burgee('cluster', 'status');
  if (left.code === 0) t.match(status.stdout, /closed by `burgee cluster leave`/);
  else {
    t.match(left.stderr, /nodes change the store all the time: stop them first/);
    t.equal(await setPercentage(node, cluster, 50), 200, 'the cluster goes on');
  }
});

t.test('what was cut off at any step is completed by the same command', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const second = await cluster.boot();
  t.equal(await setPercentage(second, cluster, 20), 200);
  await second.stop();
  const notReplica = await operatedCluster(file, t, database);
  const strange = await cluster.burgee('cluster', 'leave', '--data-dir', notReplica.directory);
  t.equal(strange.code, 1);
  t.match(strange.stderr, /is not a replica of a cluster/);

  // After the cluster was closed.
  const connection = await cluster.connect();
  const { position } = await readClusterHead(connection);
  t.equal(await closeCluster(connection, position), true);
  const first = await cluster.burgee('cluster', 'leave', '--data-dir', directory);
  t.equal(first.code, 0, first.stderr);
  t.equal(await placeOf(directory), null);
  // After everything was done.
  const again = await cluster.burgee('cluster', 'leave', '--data-dir', directory);
  t.equal(again.code, 0, again.stderr);
  t.same(JSON.parse(again.stdout), JSON.parse(first.stdout));
  const alone = await bootServer(t, { dataDir: directory, settings: unlimited });
  t.equal(await percentageOf(alone, cluster), 20, 'what the other node had changed');
  await alone.stop();

  // And back to a cluster.
  const exists = await cluster.burgee('cluster', 'create', '--data-dir', directory);
  t.equal(exists.code, 1);
  t.match(exists.stderr, /closed by `burgee cluster leave`.*--replace/);
  const back = await cluster.burgee('cluster', 'create', '--replace', '--data-dir', directory);
  t.equal(back.code, 0, back.stderr);
  t.equal((await readClusterHead(connection)).closedAt, null);
  const node = await cluster.boot(second.dataDir);
  await eventually(
    async () => (await percentageOf(node, cluster)) === 20,
    10_000,
    'a node of the history before takes over the new one',
  );
});

t.test('a directory that is far behind takes over the state', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const second = await cluster.boot();
  for (const percentage of [20, 30]) t.equal(await setPercentage(second, cluster, percentage), 200);
  await second.stop();
  const connection = await cluster.connect();
  const { schema } = connection;
  await connection.run(
    `with gone as (delete from ${schema}.log where position = 2 returning checksum)
     update ${schema}.head set kept_from = 3, kept_checksum = gone.checksum from gone`,
    [],
  );
  const check = await cluster.burgee('cluster', 'check', '--data-dir', directory);
  t.equal(check.code, 3);
  t.match(check.stdout, /it is at 1, and the log has 3 and newer/);
  const left = await cluster.burgee('cluster', 'leave', '--data-dir', directory);
  t.equal(left.code, 0, left.stderr);
  const alone = await bootServer(t, { dataDir: directory, settings: unlimited });
  t.equal(await percentageOf(alone, cluster), 30);
});
