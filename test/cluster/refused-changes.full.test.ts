import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { lockHead } from '../../src/cluster/sql/commit-statements.ts';
import { bootServer } from '../support/booted-server.ts';
import { databaseSkip, openTestDatabase } from '../support/postgres/test-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { isDetached, operatedCluster, setPercentage } from './support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(120_000);
const file = t;

t.test(
  'a change that the cluster did not take says so, and is not said to be of a node that is cut off',
  { skip },
  async (t) => {
    const cluster = await operatedCluster(file, t, database);
    t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
    const node = await cluster.boot(cluster.directory);
    t.equal(await setPercentage(node, cluster, 10), 200);
    const more = join(temporaryDirectory(t), 'flags.json');
    const project = { name: 'more', flags: [{ name: 'x' }] };
    writeFileSync(
      more,
      JSON.stringify({ organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] }),
    );

    const other = await cluster.connect();
    await lockHead(other, 1, true);
    const refused = await fetch(`http://127.0.0.1:${node.port}/api/v1/flags/${cluster.flag}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${cluster.secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ trafficPercentage: 20 }),
    });
    t.match(
      [refused.status, await refused.json()],
      [503, { detail: /^The cluster did not take the change: .*Nothing was applied\. Retry/ }],
    );
    t.equal(await isDetached(node, cluster), false);
    const applied = await cluster.burgee('apply', more, '--data-dir', node.dataDir);
    t.equal(applied.code, 1);
    t.match(
      applied.stderr,
      /Nothing was applied: another session holds the lock of the cluster: .*\. Try again in a moment\./,
    );

    await other.end();
    t.equal(await setPercentage(node, cluster, 30), 200);
    t.equal((await cluster.burgee('apply', more, '--data-dir', node.dataDir)).code, 0);
  },
);

t.test('a command that has changed nothing does not say that it is done', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
  const node = await cluster.boot(cluster.directory);
  const silent = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    settings: { ...cluster.settings, BURGEE_CLUSTER_LEASE_MS: '60000' },
  });
  const apply = (name: string, flag: object) => {
    const path = join(temporaryDirectory(t), `${name}.json`);
    const project = { name: 'shop', flags: [{ name: 'checkout', ...flag }] };
    const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };
    writeFileSync(path, JSON.stringify(document));
    return cluster.burgee('apply', path, '--data-dir', node.dataDir);
  };
  silent.signal('SIGSTOP');
  t.teardown(() => silent.signal('SIGCONT'));
  const stored = await apply('stored', { trafficPercentage: 12 });
  t.match(
    [stored.code, stored.stderr],
    [1, /The change is stored, but not all nodes of the cluster have confirmed it/],
  );
  const nothing = await apply('nothing', { trafficPercentage: 12 });
  t.match([nothing.code, nothing.stderr], [1, /There was nothing to change, but not all nodes/]);
  const refused = await apply('refused', { audience: 'nobody' });
  t.match([refused.code, refused.stderr], [1, /this project has no audience named "nobody"/]);
});
