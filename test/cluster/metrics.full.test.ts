import t from 'tap';
import { adminClientOf, bootWithAdmin } from '../admin/admin-fixture.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { shop } from './support/shop.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries, skip } = findPostgres();

/** More than the setting's own: on a busy machine a change waits for the other node for longer than that. */
const waitSeconds = 20;
/** Between scrapes of two nodes a change may have come to one of them only. */
const settleMs = 10_000;

t.test('a node tells where it stands, and what its commits and waits came to', { skip }, async (test) => {
  const directory = temporaryDirectory(test);
  const project = projectOf(await provision(directory, temporaryDirectory(test), shop), 'shop');
  const cluster = await createCluster(test, binaries as PostgresBinaries, directory, {
    BURGEE_ADMIN_PORT: '0',
    BURGEE_CLUSTER_WAIT_MS: String(waitSeconds * 1000),
  });
  const first = await cluster.boot(directory);
  const second = await cluster.boot();
  const [one, other] = [await adminClientOf(test, first), await adminClientOf(test, second)];
  const changes = 20;
  for (let change = 0; change < changes; change += 1) {
    const answer = await fetch(
      `http://127.0.0.1:${first.port}/api/v1/flags/${idOf(project.flags, 'checkout')}`,
      {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${tokenOf(project, 'ci').secret}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ trafficPercentage: change }),
      },
    );
    test.equal(answer.status, 200);
  }
  const told = await one.scrape();
  test.ok(told.value('burgee_cluster_commit_duration_seconds_count', { outcome: 'committed' }) >= changes);
  test.ok(told.value('burgee_cluster_wait_duration_seconds_count', { end: 'everywhere' }) >= changes);
  test.equal(told.value('burgee_cluster_wait_duration_seconds_count', { end: 'unconfirmed' }), 0);
  test.equal(told.value('burgee_cluster_wait_limit_seconds'), waitSeconds);
  test.equal(told.value('burgee_cluster_waiting_changes'), 0);
  test.ok(told.value('burgee_cluster_renewals_total', { outcome: 'renewed' }) > 0);
  test.equal(told.value('burgee_cluster_take_overs_total'), 0);
  // But for what a renewal of the lease finds before the writer has applied it.
  const fetched = told.value('burgee_cluster_followed_rows_total');
  test.ok(fetched < changes / 2, `of its own ${changes} commits, ${fetched} were fetched`);
  test.ok(Math.abs(told.value('burgee_cluster_clock_skew_seconds')) < 1);
  const followed = await other.scrape();
  test.equal(followed.value('burgee_cluster_take_overs_total'), 1, 'its directory was new');
  test.ok(followed.value('burgee_cluster_followed_rows_total') >= changes);
  test.ok(followed.value('burgee_cluster_followed_bytes_total') > 0);
  await eventually(
    async () => {
      const [here, there] = [await one.scrape(), await other.scrape()];
      const positions = [here, there].flatMap((scrape) => [
        scrape.value('burgee_cluster_position'),
        scrape.value('burgee_cluster_head_position'),
      ]);
      return (
        new Set(positions).size === 1 &&
        [here, there].every(
          (scrape) =>
            scrape.value('burgee_cluster_lag_positions') === 0 &&
            scrape.value('burgee_cluster_attached') === 1 &&
            scrape.value('burgee_cluster_lease_remaining_seconds') > 0 &&
            scrape.value('burgee_cluster_nodes') === 2 &&
            scrape.value('burgee_cluster_silent_nodes') === 0,
        )
      );
    },
    settleMs,
    'both nodes stand at one position',
  );

  await cluster.postgres.stop();
  await eventually(
    async () => (await one.scrape()).value('burgee_cluster_attached') === 0,
    settleMs,
    'the lease runs out',
  );
  const cutOff = await one.scrape();
  test.equal(cutOff.value('burgee_cluster_lease_remaining_seconds'), 0);
  test.ok(cutOff.value('burgee_cluster_lag_seconds') > 2, 'nobody knows what it misses');
  test.ok(cutOff.value('burgee_cluster_renewals_total', { outcome: 'failed' }) > 0);
  await cluster.postgres.start();
  await eventually(
    async () => (await one.scrape()).value('burgee_cluster_attached') === 1,
    settleMs,
    'it is attached again',
  );
  const back = await one.scrape();
  test.ok(back.value('burgee_cluster_reconnects_total', { link: 'following' }) > 0);

  second.signal('SIGKILL');
  await second.ended;
  await eventually(
    async () => (await one.scrape()).value('burgee_cluster_silent_nodes') === 1,
    settleMs,
    'nobody waits for a node that is dead',
  );
});

t.test('a service that is alone has no metrics of a cluster', async (test) => {
  const { admin } = await bootWithAdmin(test, { dataDir: temporaryDirectory(test) });
  const { types } = await admin.scrape();
  test.same(
    [...types.keys()].filter((name) => name.startsWith('burgee_cluster')),
    [],
  );
});
