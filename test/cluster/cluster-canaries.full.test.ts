import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { commit } from '../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../src/cluster/sql/head-statements.ts';
import { ClusterLoad } from '../campaigns/cluster/cluster-load.ts';
import {
  allAttached,
  type ClusterStage,
  openStage,
  type StageOptions,
} from '../campaigns/cluster/cluster-stage.ts';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import { createRandom } from '../support/random.ts';
import { connectForTest, makeTestCluster, requestOn } from './sql/support/test-cluster.ts';

/*
 * What the campaign of clusters looks for is there to be found: clusters with a fault, in which it must be.
 */
const { binaries, skip } = findPostgres();
const attachedMsMax = 60_000;
const staleMsMax = 30_000;
const believing = new URL('../campaigns/cluster/lease-believing-preload.js', import.meta.url).href;

/** @returns how many stale answers were found until one was, or the time was up */
async function staleAnswers(
  t: Test,
  options: StageOptions,
  disturb: (stage: ClusterStage) => void,
): Promise<number> {
  const stage = await openStage(t, options);
  await allAttached(stage, attachedMsMax);
  const load = new ClusterLoad(stage, createRandom(1), 'canary');
  load.start(t);
  await pause(200);
  disturb(stage);
  await eventually(() => load.counts.stale > 0, staleMsMax, 'a stale answer is found').catch(() => undefined);
  await load.stop();
  return load.counts.stale;
}

t.test('changes that wait for no other node are found stale there', { skip }, async (t) => {
  const settings = { BURGEE_CLUSTER_WAIT: 'none' };
  const stale = await staleAnswers(t, { settings }, ({ places }) => {
    for (const { link } of places.slice(1)) link.delayMs = 50;
  });
  t.ok(stale > 0);
});

t.test('a node that believes in a lease which it has not is found stale', { skip }, async (t) => {
  const boot: StageOptions['boot'] = (place) => (lifetime, dataDir, settings) => {
    const preload = place === 1 ? { NODE_OPTIONS: `--import ${believing}` } : {};
    return bootServer(lifetime, { dataDir, settings: { ...settings, ...preload } });
  };
  const stale = await staleAnswers(t, { boot }, ({ places }) => {
    for (const { link } of places.slice(1, 2)) link.state = 'cut';
  });
  t.ok(stale > 0);
});

t.test(
  'commits that PostgreSQL confirms before they are durable are lost with its processes',
  { skip },
  async (t) => {
    const postgres = await startPostgres(t, binaries as PostgresBinaries, {
      isDurable: true,
      settings: { wal_writer_delay: '10s' },
    });
    for (const isDurable of [true, false]) {
      const database = { url: postgres.url(), freshSchema: () => `durable_${isDurable}` };
      const cluster = await makeTestCluster(t, database);
      const connection = await cluster.connect();
      if (!isDurable) await connection.run('set synchronous_commit = off', []);
      let place = cluster.beginning;
      for (let count = 0; count < 20; count += 1) {
        const request = requestOn(place);
        t.ok((await commit(connection, request)).isCommitted);
        place = request.row;
      }
      await postgres.killHard();
      await postgres.start();
      const { position } = await readClusterHead(await connectForTest(t, postgres.url(), cluster.schema));
      if (isDurable) t.equal(position, place.position, 'nothing that was confirmed is lost');
      else t.ok(position < place.position, 'the loss is found');
    }
  },
);
