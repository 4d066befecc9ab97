import t from 'tap';
import { commit } from '../../../src/cluster/sql/commit-statements.ts';
import { hearCluster, renew } from '../../../src/cluster/sql/node-statements.ts';
import { beginTableChange, endTransaction, requireSchema } from '../../../src/cluster/sql/schema.ts';
import { readStatus, takeDuty } from '../../../src/cluster/sql/upkeep-statements.ts';
import { newId } from '../../../src/support/random-id.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { connectForTest, makeTestCluster, recordOf, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

t.test('where no cluster is, it says how to make one', { skip }, async (t) => {
  const connection = await connectForTest(t, database.url, database.freshSchema());
  await t.rejects(requireSchema(connection), /make one with burgee cluster create/);
});

t.test('a role that owns its schema, and has no other right, is enough', { skip }, async (t) => {
  const schema = database.freshSchema();
  const admin = await connectForTest(t, database.url, schema);
  const role = `plain_${newId().toLowerCase()}`;
  await admin.run(
    `create role ${role} login password 'x'; create schema ${schema} authorization ${role}`,
    [],
  );
  t.teardown(async () => {
    await admin.run(`drop schema ${schema} cascade; drop role ${role}`, []);
    await admin.end();
  });
  const url = new URL(database.url);
  url.username = role;
  url.password = 'x';
  const cluster = await makeTestCluster(t, { url: url.href, freshSchema: () => schema }, [
    recordOf('a', '1'),
  ]);
  const connection = await cluster.connect('abc');
  t.equal((await commit(connection, requestOn(cluster.beginning))).isCommitted, true);
  await renew(connection, { id: 'abc', counter: 1, applied: 2, knowsFormat: 1, label: '', leaseMs: 3000 });
  await hearCluster(connection, 'abc', { onCommit: () => undefined, onReport: () => undefined });
  t.equal(await takeDuty(connection, 'mail'), true);
  t.match(await readStatus(connection), { duties: [{ duty: 'mail', node: 'abc' }], nodes: [{ id: 'abc' }] });
});

t.test('while another session creates or replaces the tables, a second one says so', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const [holding, waiting] = [await cluster.connect(), await cluster.connect()];
  await beginTableChange(holding);
  await t.rejects(
    beginTableChange(waiting),
    /another session creates or replaces the cluster's tables: try again/,
  );
  await t.resolves(requireSchema(waiting), 'nodes go on');
  await endTransaction(holding, 1000);
});
