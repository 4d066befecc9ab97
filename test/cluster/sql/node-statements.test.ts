import t from 'tap';
import { commit } from '../../../src/cluster/sql/commit-statements.ts';
import {
  hearCluster,
  leave,
  readNodes,
  removeDead,
  renew,
  report,
} from '../../../src/cluster/sql/node-statements.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { makeTestCluster, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

const renewal = { id: 'abc', counter: 1, applied: 1, knowsFormat: 1, label: 'host one', leaseMs: 3000 };

t.test('one that comes late takes nothing back', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await renew(connection, { ...renewal, counter: 5, applied: 3 });
  await renew(connection, { ...renewal, counter: 4, applied: 2 });
  t.match(await readNodes(connection), [{ counter: 5, applied: 3 }]);
});

t.test('a node leaves; a dead one is removed unless it has renewed', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  for (const id of ['a', 'b', 'c']) await renew(connection, { ...renewal, id, counter: 7 });
  await leave(connection, 'a');
  t.equal(await removeDead(connection, 'b', 6), false);
  t.equal(await removeDead(connection, 'b', 7), true);
  t.equal(await removeDead(connection, 'b', 7), false);
  t.match(await readNodes(connection), [{ id: 'c' }]);
});

t.test('nodes hear of commits, and of reports to themselves, of their own cluster', { skip }, async (t) => {
  const [cluster, other] = [await makeTestCluster(t, database), await makeTestCluster(t, database)];
  const heard: string[] = [];
  const listening = await cluster.connect();
  let tell: () => void = () => undefined;
  const isEnough = new Promise<void>((resolve) => {
    tell = resolve;
  });
  await hearCluster(listening, 'author', {
    onCommit: (position) => heard.push(`commit ${position}`),
    onReport: (node, position) => {
      heard.push(`${node} ${position}`);
      if (node === 'last') tell();
    },
  });
  const elsewhere = await other.connect();
  await commit(elsewhere, requestOn(other.beginning));
  await report(elsewhere, 'author', 'of-another-cluster', 2);
  const connection = await cluster.connect();
  await commit(connection, requestOn(cluster.beginning));
  await report(connection, 'somebody', 'node', 2);
  await report(connection, 'author', 'node', 2);
  const { schema } = cluster;
  for (const [channel, payload] of [
    [schema, ''],
    [schema, '2 3'],
    [schema, '1e400'],
    [schema, '-1'],
    [`${schema}:author`, '7'],
    [`${schema}:author`, 'a b 7'],
  ])
    await connection.run('select pg_notify($1, $2)', [channel, payload]);
  await report(connection, 'author', 'last', 2);
  await isEnough;
  t.same(heard, ['commit 2', 'node 2', 'last 2']);
});
