import t from 'tap';
import { openReplicaView } from '../../../src/storage/replica/replica-view.ts';
import { openStore } from '../../../src/storage/store.ts';
import { runBurgee } from '../../support/burgee-command.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { operatedCluster, percentageOf, placeOf, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(240_000);
const file = t;

/** As a crash between the upload and the mark leaves the directory. */
async function forgetMark(directory: string): Promise<void> {
  const store = openStore({ directory, mapBytes: 2 ** 30, replica: { storeId: null } });
  store.asReplica('test').end();
  await store.close();
}

t.test(
  'a create that ended before the directory was marked is completed by the same command',
  { skip },
  async (t) => {
    const cluster = await operatedCluster(file, t, database);
    const { directory } = cluster;
    const first = await cluster.burgee('cluster', 'create', '--data-dir', directory);
    t.equal(first.code, 0, first.stderr);
    const place = await placeOf(directory);
    await forgetMark(directory);

    const served = await cluster.burgee('serve', '--data-dir', directory);
    t.equal(served.code, 1);
    t.match(served.stderr + served.stdout, /holds a store of its own.*burgee cluster create/s);

    const again = await cluster.burgee('cluster', 'create', '--data-dir', directory);
    t.equal(again.code, 0, again.stderr);
    t.equal(JSON.parse(again.stdout).records, JSON.parse(first.stdout).records);
    t.same(await placeOf(directory), place, 'it is where the cluster begins');
    const third = await cluster.burgee('cluster', 'create', '--data-dir', directory);
    t.equal(third.code, 1);
    t.match(third.stderr, /is the replica of a cluster's node already/);

    await forgetMark(directory);
    const changed = await runBurgee([
      'organisation',
      'set-plan',
      'Acme',
      '--plan',
      'teams',
      '--data-dir',
      directory,
    ]);
    t.equal(changed.code, 0, changed.stderr);
    const differs = await cluster.burgee('cluster', 'create', '--data-dir', directory);
    t.equal(differs.code, 1);
    t.match(differs.stderr, /there is a cluster .* of this store, at position 1.*--replace/);
    const replaced = await cluster.burgee('cluster', 'create', '--replace', '--data-dir', directory);
    t.equal(replaced.code, 0, replaced.stderr);
    t.equal((await cluster.burgee('cluster', 'check', '--data-dir', directory)).code, 0);
  },
);

t.test('another store is refused, by create and by a node that would replace it', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const empty = temporaryDirectory(t);
  const made = await cluster.burgee('cluster', 'create', '--data-dir', empty);
  t.equal(made.code, 0, made.stderr);
  for (const more of [[], ['--replace']]) {
    const refused = await cluster.burgee('cluster', 'create', ...more, '--data-dir', cluster.directory);
    t.equal(refused.code, 1);
    t.match(refused.stderr, /of another store/);
  }
  const before = openReplicaView(cluster.directory);
  const entries = [...before.state()].length;
  await before.close();
  const served = await cluster.burgee('serve', '--data-dir', cluster.directory);
  t.equal(served.code, 1);
  t.match(served.stderr + served.stdout, /holds a store of its own/);
  t.equal([...openReplicaView(cluster.directory).state()].length, entries, 'nothing of it was replaced');
  const node = await cluster.boot(empty);
  const other = await operatedCluster(file, t, database);
  t.equal((await other.burgee('cluster', 'create', '--data-dir', other.directory)).code, 0);
  const strange = await other.burgee('serve', '--data-dir', empty).catch((fault: Error) => fault);
  t.match(strange, { code: 1 }, 'a directory that is served');
  await node.stop();
  const foreign = await other.burgee('serve', '--data-dir', empty);
  t.match(foreign.stderr + foreign.stdout, /holds store .*, and the cluster has store/);
});

t.test('with replace a history begins anew, once all nodes are stopped', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const [one, two] = [await cluster.boot(directory), await cluster.boot()];
  t.equal(await setPercentage(two, cluster, 40), 200);
  const backup = `${temporaryDirectory(t)}/backup`;
  const taken = await cluster.burgee('backup', backup, '--data-dir', directory);
  t.equal(taken.code, 0, taken.stderr);
  t.match(JSON.parse(taken.stdout), { replica: { position: Number, checksum: /^[0-9a-f]{64}$/ } });
  t.equal(await setPercentage(one, cluster, 50), 200);
  await one.stop();
  const restored = await cluster.burgee('restore', backup, '--force', '--data-dir', directory);
  t.equal(restored.code, 0, restored.stderr);
  t.equal(await placeOf(directory), null, 'what was restored follows no cluster');
  const refused = await cluster.burgee('cluster', 'create', '--replace', '--data-dir', directory);
  t.equal(refused.code, 1);
  t.match(refused.stderr, /has nodes that have renewed their leases/);
  t.equal(await placeOf(directory), null);
  await two.stop();
  const replaced = await cluster.burgee('cluster', 'create', '--replace', '--data-dir', directory);
  t.equal(replaced.code, 0, replaced.stderr);
  const [again, behind] = [await cluster.boot(directory), await cluster.boot(two.dataDir)];
  t.equal(await percentageOf(again, cluster), 40);
  await eventually(
    async () => (await percentageOf(behind, cluster)) === 40,
    10_000,
    'a node of the old history has the new one',
  );
  t.equal((await cluster.burgee('cluster', 'check', '--data-dir', two.dataDir)).code, 0);
});
