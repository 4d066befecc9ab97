import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ClusterLoad } from '../campaigns/cluster/cluster-load.ts';
import {
  allAttached,
  type ClusterStage,
  openStage,
  type StageOptions,
} from '../campaigns/cluster/cluster-stage.ts';
import { judgeNodes } from '../campaigns/cluster/judge-cluster.ts';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import { createRandom } from '../support/random.ts';

/*
 * What the campaign of clusters looks for is there to be found: clusters with a fault, in which it must be.
 */
const { skip } = findPostgres();
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

/** No honest session says so: each commit ends before it is in PostgreSQL's log on the disk. */
const confirmEarly = `
  create function burgee.confirm_early() returns trigger language plpgsql as
    'begin perform set_config(''synchronous_commit'', ''off'', true); return null; end';
  create trigger confirm_early before update on burgee.head execute function burgee.confirm_early()`;
const committedMin = 20;

/** @returns what the campaign finds wrong once all processes of PostgreSQL have ended at once, under load */
async function wrongAfterCrash(t: Test, isHonest: boolean): Promise<readonly string[]> {
  // What is not written when a commit ends is written as late as PostgreSQL allows; a renewal of a lease writes all before it.
  const stage = await openStage(t, { postgres: { settings: { wal_writer_delay: '10s' } } });
  if (!isHonest) await stage.ask(confirmEarly);
  await allAttached(stage, attachedMsMax);
  const load = new ClusterLoad(stage, createRandom(2), 'crash');
  load.start(t);
  await eventually(() => load.counts.acknowledged >= committedMin, attachedMsMax, 'changes are acknowledged');
  await stage.postgres.killHard();
  await load.stopWriting();
  await stage.postgres.start();
  await allAttached(stage, attachedMsMax);
  await load.stop();
  return judgeNodes(stage, load);
}

t.test('what PostgreSQL has confirmed and lost with its processes is missed', { skip }, async (t) => {
  t.same(await wrongAfterCrash(t, true), [], 'nothing is lost that is durable before it is confirmed');
  let found = 0;
  // A renewal that ended just before the crash may have written all.
  for (let crashes = 0; crashes < 3 && found === 0; crashes += 1) {
    found = (await wrongAfterCrash(t, false)).length;
  }
  t.not(found, 0, 'the loss is found');
});
