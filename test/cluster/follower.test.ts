import { MessageChannel } from 'node:worker_threads';
import { pino } from 'pino';
import t from 'tap';
import { clusterMetrics } from '../../src/cluster/client/cluster-metrics-protocol.ts';
import type { ClusterCalls } from '../../src/cluster/client/replica-protocol.ts';
import { commit } from '../../src/cluster/sql/commit-statements.ts';
import { ClusterMeter } from '../../src/cluster/thread/cluster-meter.ts';
import { Follower, NeedsStateError } from '../../src/cluster/thread/follower.ts';
import { ReplicaClient } from '../../src/cluster/thread/replica-client.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { type CallHandlers, PortCalls } from '../../src/support/port-calls.ts';
import { databaseSkip, openTestDatabase } from '../support/postgres/test-database.ts';
import { makeTestCluster, requestOn } from './sql/support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

t.test('rows that are missing at the end of the log are noticed', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await commit(connection, requestOn(cluster.beginning));
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port2.close());
  const replica = new ReplicaClient(new PortCalls(port1, {} as CallHandlers<ClusterCalls>), () => undefined);
  replica.moved(cluster.beginning);
  const meter = new ClusterMeter(createMetricMemory(clusterMetrics), 60_000);
  const follower = new Follower({ replica, meter, log: pino({ level: 'silent' }), self: () => 'self' });
  follower.use(connection);
  await follower.catchUp(1);
  await connection.run(`delete from ${connection.schema}.log`, []);
  const faults = await follower.catchUp(2).catch((fault: Error) => fault);
  t.ok(faults instanceof NeedsStateError, String(faults));
  t.match(faults, { message: 'the log has no row behind 1, and its head is at 2' });
});
