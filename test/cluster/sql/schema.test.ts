import t from 'tap';
import { countAttempts } from '../../../src/cluster/sql/attempt-statements.ts';
import { commit, giveUpLock, lockHead } from '../../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { hearCluster, renew } from '../../../src/cluster/sql/node-statements.ts';
import {
  beginTableChange,
  endTransaction,
  migrateSchema,
  type SchemaMigration,
  schemaVersion,
} from '../../../src/cluster/sql/schema.ts';
import { readStatus, takeDuty } from '../../../src/cluster/sql/upkeep-statements.ts';
import { newId } from '../../../src/support/random-id.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { connectForTest, makeTestCluster, recordOf, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

const present = schemaVersion;
const next: SchemaMigration = {
  to: present + 1,
  least: present,
  text: (schema) => `alter table ${schema}.node add column colour text`,
};
const afterNext: SchemaMigration = {
  to: present + 2,
  least: present + 2,
  text: (schema) => `alter table ${schema}.node rename column colour to color`,
};

t.test('migrations run in order, once, and are noted in the head', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  t.same(await migrateSchema(connection), { from: present, to: present });
  const known = [next, afterNext];
  const others = await Promise.all([1, 2, 3].map(async () => migrateSchema(await cluster.connect(), known)));
  t.same(others.map(({ from, to }) => `${from} ${to}`).sort(), [
    `${present} ${present + 2}`,
    `${present + 2} ${present + 2}`,
    `${present + 2} ${present + 2}`,
  ]);
  t.equal((await readClusterHead(connection)).schema, present + 2);
  await connection.run(`select color from ${connection.schema}.node`, []);
});

t.test('one that fails takes all back', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const broken = { ...afterNext, text: () => 'select 1/0' };
  await t.rejects(migrateSchema(connection, [next, broken]), { code: '22012' });
  t.equal((await readClusterHead(connection)).schema, present);
  t.same(await migrateSchema(connection, [next]), { from: present, to: present + 1 });
});

t.test('newer tables are used where they allow it, and refused where not', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await migrateSchema(connection, [next]);
  const seen = { from: present + 1, to: present + 1 };
  t.same(await migrateSchema(connection), seen, 'the neighbouring version');
  await migrateSchema(connection, [next, afterNext]);
  await t.rejects(
    migrateSchema(connection),
    new RegExp(
      `the cluster's tables have version ${present + 2}, which needs a service that knows version ${present + 2}, and this one knows ${present}: start a newer version`,
    ),
  );
});

t.test('a node of version 2 tells no lease, and commands see its tables', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const { schema } = connection;
  await connection.run(
    `alter table ${schema}.node drop column lease_ms; update ${schema}.head set schema = 2, least = 1;
     insert into ${schema}.node(id, counter, applied, knows_format, label) values ('old', 1, 1, 1, 'before')`,
    [],
  );
  t.match((await readStatus(connection)).nodes, [{ id: 'old', leaseMs: null }]);
  t.same(await migrateSchema(connection), { from: 2, to: present });
  const renewal = { id: 'young', counter: 1, applied: 1, knowsFormat: 1, label: 'here', leaseMs: 5000 };
  const { nodes } = await renew(connection, renewal);
  t.match(nodes, [
    { id: 'old', leaseMs: null },
    { id: 'young', leaseMs: 5000 },
  ]);
  t.match((await readStatus(connection)).nodes, [{ leaseMs: null }, { leaseMs: 5000 }]);
});

t.test('the tables of version 1 get what is counted over all nodes', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const { schema } = connection;
  await connection.run(
    `drop table ${schema}.attempt; alter table ${schema}.node drop column lease_ms;
     update ${schema}.head set schema = 1, least = 1`,
    [],
  );
  t.same(await migrateSchema(connection), { from: 1, to: present });
  t.match(await countAttempts(connection, ['a', 'b'], 1000), [{ count: 1 }, { count: 1 }]);
  const { rows } = await connection.run(`select least from ${schema}.head`, []);
  t.same(rows, [{ least: 1 }], 'nodes of version 1 go on');
});

t.test('while a change has the head, a migration keeps nobody from the nodes', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const [holding, migrating, renewing] = [
    await cluster.connect(),
    await cluster.connect(),
    await cluster.connect(),
  ];
  await lockHead(holding, 1);
  const migrated = migrateSchema(migrating, [next]);
  const waits = `select from pg_locks where not granted and pid = $1::int`;
  const isWaiting = async (): Promise<boolean> =>
    (await renewing.run(waits, [migrating.serverProcess])).count > 0;
  await eventually(isWaiting, 5000, 'it waits for the head');
  const renewal = { id: 'a', counter: 1, applied: 1, knowsFormat: 1, label: 'here', leaseMs: 5000 };
  await t.resolves(renew(renewing, renewal));
  await giveUpLock(holding);
  t.same(await migrated, { from: present, to: present + 1 });
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
  await renew(connection, { id: 'abc', counter: 1, applied: 2, knowsFormat: 1, label: '', leaseMs: 3000 });
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
    await t.rejects(
      migrateSchema(waiting),
      /another session creates or changes the cluster's tables: try again/,
    );
    await endTransaction(holding, 1000);
    t.same(await migrateSchema(waiting), { from: present, to: present });
  },
);
