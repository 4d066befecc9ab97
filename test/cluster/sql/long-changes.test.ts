import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { clusterMetrics } from '../../../src/cluster/client/cluster-metrics-protocol.ts';
import {
  changesBytesMax,
  commit,
  commitLocked,
  lockHead,
} from '../../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { Acknowledgements } from '../../../src/cluster/thread/acknowledgements.ts';
import { ClusterMeter } from '../../../src/cluster/thread/cluster-meter.ts';
import { Committer } from '../../../src/cluster/thread/committer.ts';
import { Incarnations } from '../../../src/cluster/thread/incarnations.ts';
import { PrimaryLink } from '../../../src/cluster/thread/primary-link.ts';
import { parseClusterUrl } from '../../../src/config/cluster-url.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { makeTestCluster, type Place, requestOn, type TestCluster } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

t.test('a long change may be decided under the lock for longer than 2 s', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await lockHead(connection, 1, true);
  await pause(2500);
  t.equal((await commitLocked(connection, requestOn(cluster.beginning))).isCommitted, true);
  const { rows } = await connection.run(
    "select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('statement_timeout') as statement",
    [],
  );
  t.same(rows, [{ idle: '2s', statement: '10s' }], 'of that transaction alone');
});

t.test('a change beyond 256 MiB is refused, and holds nothing up', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const request = requestOn(cluster.beginning);
  const tooLong = { ...request, row: { ...request.row, changes: Buffer.alloc(changesBytesMax + 1) } };
  await t.rejects(commit(connection, tooLong), /a cluster takes 256 MiB at once: make it in several/);
  const { committer } = committerOf(cluster);
  t.equal((await committer.lock({ position: 1, isLong: true })).kind, 'locked');
  // As it is refused before it is sent, that it cannot be decoded does not matter.
  const { row, previousChecksum: previous } = tooLong;
  const refused = await committer.commit({ row, previous, isLocked: true }).catch(() => null);
  t.not(refused?.kind, 'committed');
  await committer.unlock();
  t.equal((await commit(connection, request)).isCommitted, true, 'the lock is not held any more');
});

function committerOf({ url, schema }: TestCluster) {
  const link = new PrimaryLink({
    ...{ url: parseClusterUrl(url, null), schema, self: () => 'node' },
    incarnations: new Incarnations(() => undefined),
  });
  t.teardown(() => link.end());
  const meter = new ClusterMeter(createMetricMemory(clusterMetrics), 5000);
  const acknowledgements = new Acknowledgements({
    ...{ leaseMs: 3000, waitMs: 5000, wait: 'all', meter },
    self: () => 'node',
  });
  const nothing = (): void => undefined;
  const follower = { noteFetched: nothing, leaveToWriter: nothing, takeFromWriter: nothing };
  return { committer: new Committer(link, acknowledgements, meter, follower) };
}

t.test('a writer that is far behind reads on without the lock', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  let place: Place = cluster.beginning;
  for (let row = 0; row < 510; row += 1) {
    const request = requestOn(place);
    await commit(connection, request);
    place = { position: request.row.position, checksum: request.row.checksum };
  }
  const { committer } = committerOf(cluster);
  const first = await committer.lock({ position: 1, isLong: false });
  t.match(first, { kind: 'behind' });
  t.equal(first.kind === 'behind' ? first.rows.length : 0, 500);
  t.equal((await commit(connection, requestOn(place))).isCommitted, true, 'others go on meanwhile');
  const second = await committer.lock({ position: 501, isLong: false });
  t.match(second, { kind: 'locked' });
  t.equal(second.kind === 'locked' ? second.rows.at(-1)?.position : 0, 512);
  const waiting = await cluster.connect();
  const isFree = `select from ${waiting.schema}.head for update nowait`;
  await t.rejects(waiting.run(isFree, []), { code: '55P03' });
  await committer.unlock();
  await waiting.run(isFree, []);
  t.equal((await readClusterHead(connection)).position, 512);
});
