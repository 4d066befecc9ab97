import { setTimeout as pause } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { clusterMetrics } from '../../src/cluster/client/cluster-metrics-protocol.ts';
import type { ClusterCalls, ReplicaCalls } from '../../src/cluster/client/replica-protocol.ts';
import { commit, lockHead } from '../../src/cluster/sql/commit-statements.ts';
import { hearCluster } from '../../src/cluster/sql/node-statements.ts';
import { AcknowledgementWatch } from '../../src/cluster/thread/acknowledgement-watch.ts';
import { Acknowledgements } from '../../src/cluster/thread/acknowledgements.ts';
import { ClusterMeter } from '../../src/cluster/thread/cluster-meter.ts';
import { Committer } from '../../src/cluster/thread/committer.ts';
import { Follower } from '../../src/cluster/thread/follower.ts';
import { Incarnations } from '../../src/cluster/thread/incarnations.ts';
import { PrimaryLink } from '../../src/cluster/thread/primary-link.ts';
import { ReplicaClient } from '../../src/cluster/thread/replica-client.ts';
import { parseClusterUrl } from '../../src/config/cluster-url.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { chainChecksum, encodeContent } from '../../src/storage/replica/log-row.ts';
import { openStore } from '../../src/storage/store.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import { type CallHandlers, PortCalls } from '../../src/support/port-calls.ts';
import { newId } from '../../src/support/random-id.ts';
import { ClusterCommits, type ClusterPort } from '../../src/writer/thread/cluster-commits.ts';
import { replicaHandlers } from '../../src/writer/thread/replica-handlers.ts';
import { UsageSharing } from '../../src/writer/thread/usage-sharing.ts';
import { tokenOf } from '../storage/support/records.ts';
import { eventually } from '../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../support/postgres/test-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { makeTestCluster, requestOn } from './sql/support/test-cluster.ts';

/*
 * What looks after waiting changes reads the nodes over the connection that commits: never while a commit is under way, or
 * its lock is held.
 */
const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(60_000);
const readEveryMs = 100;
/** Longer than PostgreSQL lets a transaction say nothing, and than the list of nodes is waited for. */
const standstillMs = 3500;
const noChanges = encodeContent({ writes: [], logged: [] });

async function openScene(t: Test) {
  const cluster = await makeTestCluster(t, database);
  const meter = new ClusterMeter(createMetricMemory(clusterMetrics), 60_000);
  const self = () => 'self';
  const acknowledgements = new Acknowledgements({
    self,
    meter,
    leaseMs: 60_000,
    waitMs: 60_000,
    wait: 'all',
  });
  const writing = new PrimaryLink({
    ...{ url: parseClusterUrl(cluster.url, null), schema: cluster.schema, self },
    incarnations: new Incarnations(() => undefined),
  });
  t.teardown(() => writing.end());
  const follower = {
    noteFetched: () => undefined,
    leaveToWriter: () => undefined,
    takeFromWriter: () => undefined,
  };
  const committer = new Committer(writing, acknowledgements, meter, follower);
  const watch = new AcknowledgementWatch({
    ...{ acknowledgements, writing, readEveryMs, log: pino({ level: 'silent' }) },
    isBusy: () => committer.isBusy,
  });
  t.teardown(() => watch.stop());
  return { cluster, committer, writing, watch };
}

t.test(
  'a writer that stands still under the lock loses it, and others change what they want',
  { skip },
  async (t) => {
    const { cluster, committer, writing, watch } = await openScene(t);
    watch.start();
    t.equal((await committer.lock({ position: 1, isLong: false })).kind, 'locked');
    const holder = await writing.get();
    const other = await cluster.connect();
    await pause(standstillMs);
    t.match((await holder.ended).message, /idle-in-transaction/);
    t.equal((await lockHead(other, 1)).head.position, 1);
    const { row, previousChecksum } = requestOn(cluster.beginning, {
      changes: noChanges,
    });
    const late = await committer.commit({ row, previous: previousChecksum, isLocked: true });
    t.match(late, { kind: 'refused', message: /the lock of the cluster was lost/ }, 'nothing is stored');
  },
);

t.test('a commit that PostgreSQL answers late is committed all the same', { skip }, async (t) => {
  const { cluster, committer, writing, watch } = await openScene(t);
  watch.start();
  const server = (await writing.get()).serverProcess ?? 0;
  const { row, previousChecksum } = requestOn(cluster.beginning, {
    changes: noChanges,
  });
  process.kill(server, 'SIGSTOP');
  const committing = committer.commit({ row, previous: previousChecksum, isLocked: false });
  await pause(standstillMs);
  process.kill(server, 'SIGCONT');
  t.match(await committing, { kind: 'committed' });
  t.notOk((await writing.get()).isOver);
});

/**
 * A node that decides: its replica, and the way of its commits to PostgreSQL. Nothing reads the nodes here: deciding and the
 * connection share the test's thread, where a read that is under way while it decides would get its answer too late.
 */
async function openNode(t: Test) {
  const { cluster, committer } = await openScene(t);
  const store = openStore({ directory: temporaryDirectory(t), mapBytes: 2 ** 28 });
  t.teardown(() => store.close());
  const replica = store.asReplica('self');
  replica.begin(cluster.beginning);
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const locks: boolean[] = [];
  const nothing = () => null;
  const theirs = new PortCalls<ReplicaCalls, ClusterCalls>(port2, {
    ...{ storeId: () => '', opened: nothing, tellLastUsage: nothing, applied: nothing },
    confirm: () => 'everywhere',
    commit: (args) => committer.commit(args),
    lock: (args) => {
      locks.push(args.isLong);
      return committer.lock(args);
    },
    unlock: () => committer.unlock(),
    verify: (args) => committer.verify(args),
  });
  t.teardown(() => theirs.close());
  const usage = new UsageSharing(store, replica.usage, () => undefined);
  const port: ClusterPort = new PortCalls(
    port1,
    replicaHandlers({ replicaOf: () => replica, usageOf: () => usage, onTaken: () => undefined }),
  );
  const commits = new ClusterCommits({
    ...{ store, replica, port, usage, answerMs: 60_000, requireRoom: () => undefined },
  });
  return { cluster, commits, locks };
}

t.test('a node that cannot apply what others changed asks for the lock once', { skip }, async (t) => {
  const { cluster, commits, locks } = await openNode(t);
  // As of another history: it does not continue what this replica has.
  await commit(await cluster.connect(), requestOn(cluster.beginning));
  const token = tokenOf(newId());
  const change = commits.commit(({ apply }) => apply([{ kind: 'token', before: null, after: token }]), {
    isShort: true,
  });
  await t.rejects(change, { kind: 'cut-off', message: /cannot be applied here yet/ });
  t.equal(locks.length, 1);
  t.equal((await lockHead(await cluster.connect(), 2)).head.position, 2, 'and gives it up');
});

t.test(
  'what took long to decide, and changes nothing, is decided again under the lock of long changes',
  { skip },
  async (t) => {
    const { cluster, commits, locks } = await openNode(t);
    const { row, ...request } = requestOn(cluster.beginning, { changes: noChanges });
    const checksum = chainChecksum(cluster.beginning.checksum, row);
    await commit(await cluster.connect(), { ...request, row: { ...row, checksum } });
    let decisions = 0;
    const { result } = await commits.commit(() => {
      // Longer than a lock of short changes may be held without a word.
      for (const until = monotonicMs() + 2500; monotonicMs() < until; );
      decisions += 1;
      return decisions;
    });
    t.equal(result, 2, 'on the newest state');
    t.same(locks, [true]);
  },
);

t.test('reports to a node that does not come through wait for one another', { skip }, async (t) => {
  const { cluster } = await openScene(t);
  const author = await cluster.connect('author');
  let reported = 0;
  const onReport = (_node: string, position: number): void => {
    reported = position;
  };
  await hearCluster(author, 'author', { onCommit: () => undefined, onReport });
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port2.close());
  const replica = new ReplicaClient(new PortCalls(port1, {} as CallHandlers<ClusterCalls>), (position) =>
    follower.applied(position),
  );
  const meter = new ClusterMeter(createMetricMemory(clusterMetrics), 60_000);
  const log = pino({ level: 'silent' });
  const follower = new Follower({ replica, meter, log, self: () => 'self' });
  const connection = await cluster.connect();
  follower.use(connection);
  const server = connection.serverProcess ?? 0;
  process.kill(server, 'SIGSTOP');
  // More than may be asked of PostgreSQL at once.
  for (let position = 1; position <= 300; position += 1) {
    const { row } = requestOn({ ...cluster.beginning, position: position - 1 }, { node: 'author' });
    follower.noteFetched([row]);
    replica.moved(row);
  }
  process.kill(server, 'SIGCONT');
  await eventually(() => reported === 300, 10_000, 'the last is reported');
});
