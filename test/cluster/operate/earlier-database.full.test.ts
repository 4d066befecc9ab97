import { rmSync } from 'node:fs';
import t from 'tap';
import { eventually } from '../../support/expectations.ts';
import { findPostgres, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import { PostgresServer, startPostgres } from '../../support/postgres/postgres-server.ts';
import { isDetached, operatedCluster, percentageOf, setPercentage } from '../support/operator.ts';

const { binaries: found, skip } = findPostgres();
const binaries = found as PostgresBinaries;
t.setTimeout(240_000);
const file = t;

t.test('a PostgreSQL restored to an earlier moment takes all nodes back with it', { skip }, async (t) => {
  const postgres = await startPostgres(t, binaries);
  const database = { url: postgres.url(), freshSchema: () => 'earlier' };
  const cluster = await operatedCluster(file, t, database);
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
  const nodes = [await cluster.boot(cluster.directory), await cluster.boot()] as const;
  const [first, second] = nodes;
  for (const percentage of [10, 20]) t.equal(await setPercentage(first, cluster, percentage), 200);

  const copy = new PostgresServer(binaries, {});
  t.teardown(() => copy.remove());
  await postgres.stop();
  await copy.fill(postgres.directory);
  await postgres.start();
  await eventually(
    async () => (await setPercentage(first, cluster, 30)) === 200,
    20_000,
    'changes are taken',
  );
  for (const percentage of [31, 32]) t.equal(await setPercentage(second, cluster, percentage), 200);

  await postgres.stop();
  rmSync(postgres.directory, { recursive: true });
  await postgres.fill(copy.directory);
  await postgres.start();
  for (const node of nodes) {
    await eventually(
      async () => (await percentageOf(node, cluster)) === 20,
      20_000,
      'a node starts anew by itself',
    );
    t.equal(await isDetached(node, cluster), false);
  }
  t.equal(await setPercentage(second, cluster, 40), 200);
  t.equal(await percentageOf(first, cluster), 40);
  for (const { dataDir } of nodes) {
    const check = await cluster.burgee('cluster', 'check', '--data-dir', dataDir);
    t.equal(check.code, 0, check.stdout);
  }
});
