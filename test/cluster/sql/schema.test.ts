import t from 'tap';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { hearCluster, renew } from '../../../src/cluster/sql/node-statements.ts';
import {
  beginTableChange,
  endTransaction,
  migrateSchema,
  type SchemaMigration,
} from '../../../src/cluster/sql/schema.ts';
import { commit } from '../../../src/cluster/sql/statements.ts';
import { readStatus, takeDuty } from '../../../src/cluster/sql/upkeep-statements.ts';
import { newId } from '../../../src/support/random-id.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { connectForTest, makeTestCluster, recordOf, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

const second: SchemaMigration = {
  to: 2,
  least: 1,
  text: (schema) => `alter table ${schema}.node add column colour text`,
};
const third: SchemaMigration = {
  to: 3,
  least: 3,
  text: (schema) => `alter table ${schema}.node rename column colour to color`,
};

t.test('migrations run in order, once, and are noted in the head', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  t.same(await migrateSchema(connection), { from: 1, to: 1 });
  const known = [second, third];
  const others = await Promise.all([1, 2, 3].map(async () => migrateSchema(await cluster.connect(), known)));
  t.same(others.map(({ from, to }) => `${from} ${to}`).sort(), ['1 3', '3 3', '3 3']);
  t.equal((await readClusterHead(connection)).schema, 3);
  await connection.run(`select color from ${connection.schema}.node`, []);
});

t.test('one that fails takes all back', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const broken = { ...third, text: () => 'select 1/0' };
  await t.rejects(migrateSchema(connection, [second, broken]), { code: '22012' });
  t.equal((await readClusterHead(connection)).schema, 1);
  t.same(await migrateSchema(connection, [second]), { from: 1, to: 2 });
});

t.test('newer tables are used where they allow it, and refused where not', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await migrateSchema(connection, [second]);
  t.same(await migrateSchema(connection), { from: 2, to: 2 }, 'the neighbouring version');
  await migrateSchema(connection, [second, third]);
  await t.rejects(
    migrateSchema(connection),
    /the cluster's tables have version 3, which needs a service that knows version 3, and this one knows 1: start a newer version/,
  );
});

t.test('where no cluster is, it says how to make one', { skip }, async (t) => {
  const connection = await connectForTest(t, database.url, database.freshSchema());
  await t.rejects(migrateSchema(connection), /make one with burgee cluster create/);
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
  await renew(connection, { id: 'abc', counter: 1, applied: 2, knowsFormat: 1, label: '' });
  await hearCluster(connection, 'abc', { onCommit: () => undefined, onReport: () => undefined });
  t.equal(await takeDuty(connection, 'mail'), true);
  t.match(await readStatus(connection), { duties: [{ duty: 'mail', node: 'abc' }], nodes: [{ id: 'abc' }] });
});

t.test(
  'while another makes or changes the tables a second says so, and can try again',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const [holding, waiting] = [await cluster.connect(), await cluster.connect()];
    await beginTableChange(holding);
    await t.rejects(migrateSchema(waiting), /somebody else makes or changes the cluster's tables: try again/);
    await endTransaction(holding, 1000);
    t.same(await migrateSchema(waiting), { from: 1, to: 1 });
  },
);
