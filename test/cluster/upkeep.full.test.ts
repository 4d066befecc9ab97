import { pino } from 'pino';
import t, { type Test } from 'tap';
import { commit } from '../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../src/cluster/sql/head-statements.ts';
import { readNodes, renew } from '../../src/cluster/sql/node-statements.ts';
import { OtherSchemaError } from '../../src/cluster/sql/schema.ts';
import { endWhenSilent, readStatus, takeDuty } from '../../src/cluster/sql/upkeep-statements.ts';
import { Incarnations } from '../../src/cluster/thread/incarnations.ts';
import { type LinkOptions, PrimaryLink } from '../../src/cluster/thread/primary-link.ts';
import { Upkeep, type UpkeepOptions } from '../../src/cluster/thread/upkeep.ts';
import { parseClusterUrl } from '../../src/config/cluster-url.ts';
import { createLeaseMemory, LeaseCell } from '../../src/support/lease-cell.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import { newId } from '../../src/support/random-id.ts';
import { eventually } from '../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../support/postgres/test-database.ts';
import { makeTestCluster, type Place, requestOn, type TestCluster } from './sql/support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

function linkOptions({ url, schema }: TestCluster, node = newId()): LinkOptions {
  const incarnations = new Incarnations(() => undefined);
  return { url: parseClusterUrl(url, null), schema, self: () => node, incarnations };
}

/** The upkeep of a node that has a lease for a minute. */
function startUpkeep(test: Test, cluster: TestCluster, node: string, more: Partial<UpkeepOptions> = {}) {
  const [lease, mail] = [new LeaseCell(createLeaseMemory()), new LeaseCell(createLeaseMemory())];
  lease.renew(monotonicMs() + 60_000, Date.now() + 60_000);
  const link = new PrimaryLink(linkOptions(cluster, node));
  const upkeep = new Upkeep({
    link,
    lease,
    mail,
    log: pino({ level: 'silent' }),
    onTurn: async () => undefined,
    ...more,
  });
  const running = upkeep.run();
  test.teardown(async () => {
    await upkeep.stop();
    await running;
  });
  return { lease, mail, upkeep };
}

t.test('one node trims the log, and takes dead nodes off the list', { skip }, async (test) => {
  const cluster = await makeTestCluster(test, database);
  const connection = await cluster.connect();
  let place: Place = cluster.beginning;
  for (let done = 0; done < 30; done += 1) {
    const request = requestOn(place);
    await commit(connection, request);
    place = request.row;
  }
  await renew(connection, { id: 'dead', counter: 1, applied: 1, knowsFormat: 1, label: '', leaseMs: 3000 });
  const bounds = { logRowsKept: 10, logAgeKeptMs: 0, trimEveryMs: 0, deadAfterMs: 3000 };
  startUpkeep(test, cluster, 'one', bounds);
  let counter = 0;
  await eventually(
    async () => {
      counter += 1;
      await renew(connection, { id: 'alive', counter, applied: 1, knowsFormat: 1, label: '', leaseMs: 3000 });
      return (await readNodes(connection)).every(({ id }) => id !== 'dead');
    },
    15_000,
    'the dead node is gone',
  );
  test.same(
    (await readNodes(connection)).map(({ id }) => id),
    ['alive'],
  );
  test.equal((await readClusterHead(connection)).keptFrom, 22, 'all but the newest ten rows are gone');
});

t.test('old counts are removed in one turn, however many', { skip }, async (test) => {
  const cluster = await makeTestCluster(test, database);
  const connection = await cluster.connect();
  const { schema } = connection;
  await connection.run(
    `insert into ${schema}.attempt select 'k' || n, 1, now() - interval '1 s' from generate_series(1, 25000) n;
     insert into ${schema}.usage select 'evaluations', 0, 'k' || n, 'node', 1, 1, now() from generate_series(1, 25000) n`,
    [],
  );
  let turns = 0;
  startUpkeep(test, cluster, 'one', {
    onTurn: async () => {
      turns += 1;
    },
  });
  await eventually(() => turns > 0, 20_000, 'a turn is over');
  for (const table of ['attempt', 'usage']) {
    const { rows } = await connection.run(`select count(*)::int as left from ${schema}.${table}`, []);
    test.same(rows, [{ left: 0 }], table);
  }
});

t.test('a duty is on one node at a time, and moves when its holder has no lease', { skip }, async (test) => {
  const cluster = await makeTestCluster(test, database);
  const connection = await cluster.connect();
  const one = startUpkeep(test, cluster, 'one');
  await eventually(() => one.mail.isValid(), 10_000, 'the first has the duty');
  const two = startUpkeep(test, cluster, 'two');
  const without = startUpkeep(test, cluster, 'three', { mail: null });
  const holders = async (): Promise<readonly string[]> =>
    (await readStatus(connection)).duties.map(({ duty, node }) => `${duty}: ${node}`);
  test.same(await holders(), ['mail: one', 'trimming: one', 'clean-up: one']);
  test.equal(two.mail.isValid(), false);
  one.lease.end();
  await eventually(() => two.mail.isValid(), 15_000, 'the second has the duty');
  test.equal(one.mail.isValid(), false);
  test.equal(without.mail.isValid(), false, 'a node without a mail server never has it');
});

t.test('PostgreSQL ends the duties of a node that stands still', { skip }, async (test) => {
  const cluster = await makeTestCluster(test, database);
  const [silent, other] = [await cluster.connect('silent'), await cluster.connect('other')];
  await endWhenSilent(silent, 500);
  test.equal(await takeDuty(silent, 'mail'), true);
  test.equal(await takeDuty(other, 'mail'), false);
  test.match((await silent.ended).message, /idle-session timeout/);
  test.equal(await takeDuty(other, 'mail'), true);
});

t.test('nothing is asked of tables of another version', { skip }, async (test) => {
  const cluster = await makeTestCluster(test, database);
  const connection = await cluster.connect();
  const link = new PrimaryLink(linkOptions(cluster));
  for (const [version, advice] of [
    [99, /version 99, .* start a newer version/],
    [0, /version 0, .* burgee cluster create --replace/],
  ] as const) {
    await connection.run(`update ${connection.schema}.head set schema = ${version}`, []);
    await test.rejects(link.get(), OtherSchemaError);
    await test.rejects(link.get(), { message: advice });
  }
  await link.end();
});
