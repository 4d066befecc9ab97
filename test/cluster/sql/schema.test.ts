import t from 'tap';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { migrateSchema, type SchemaMigration } from '../../../src/cluster/sql/schema.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { connectForTest, makeTestCluster } from './support/test-cluster.ts';

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
