import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type BootedServer, bootServer } from '../../support/booted-server.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { provision } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { nextVersion } from '../support/next-version.ts';
import { isDetached, operatedCluster, percentageOf, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(180_000);

const withOwner = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ name: 'Ines', email: 'owner@example.test', role: 'owner' }],
    },
  ],
};

t.test(
  'nodes of two versions run side by side, and what one cannot read makes it unready',
  { skip },
  async (t) => {
    const cluster = await operatedCluster(t, t, database);
    // Of a cluster without members each node stores a link of the first Owner when it starts, and the newer one writes nothing here.
    await provision(cluster.directory, temporaryDirectory(t), withOwner);
    t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
    const spawn = nextVersion(t);
    const upgrade = (dataDir: string): Promise<BootedServer> =>
      bootServer(t, { dataDir, settings: cluster.settings, spawn });

    const former = await cluster.boot(cluster.directory);
    let older = await cluster.boot();
    t.equal(await setPercentage(older, cluster, 10), 200);
    await former.stop();
    const newer = await upgrade(cluster.directory);
    // Evaluations alone: the use of a token is written to the record.
    await eventually(async () => !(await isDetached(newer, cluster)), 20_000, 'it joins the older one');
    t.equal(await isDetached(older, cluster), false);

    t.comment('the newer one writes');
    t.equal(await percentageOf(newer, cluster), 10, 'it reads what the older one wrote');
    t.equal(await setPercentage(newer, cluster, 20), 200);
    t.equal(await isDetached(older, cluster), true, 'before the change is acknowledged');
    t.equal(await percentageOf(older, cluster), null, 'and it says nothing about it');
    t.equal(await setPercentage(older, cluster, 30), 503);
    const line = await older.line((text) => text.includes('upgrade this node'));
    t.match(line, /a newer version of Burgee writes to this cluster/);
    t.equal(await setPercentage(newer, cluster, 40), 200);
    await pause(2000);
    t.equal(await isDetached(older, cluster), true, 'it stays so');
    const status = await cluster.burgee('cluster', 'status');
    t.equal(status.code, 1);
    t.match(status.stdout, /cannot read the newest changes: upgrade it/);

    const fresh = await cluster.burgee('serve', '--data-dir', temporaryDirectory(t), '--port', '0');
    t.equal(fresh.code, 1, 'with an empty directory it takes over nothing that it cannot read');
    t.match(
      fresh.stdout + fresh.stderr,
      /the cluster's records have format \d+, and this version reads \d+: start a newer version/,
    );

    t.comment('it is upgraded');
    await older.stop();
    older = await upgrade(older.dataDir);
    await eventually(async () => !(await isDetached(older, cluster)), 20_000, 'it is attached again');
    t.equal(await percentageOf(older, cluster), 40);
    t.equal(await setPercentage(older, cluster, 50), 200);
    t.equal(await percentageOf(newer, cluster), 50);
  },
);
