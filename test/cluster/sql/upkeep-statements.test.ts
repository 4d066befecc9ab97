import t from 'tap';
import { commit } from '../../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { rowsAfter } from '../../../src/cluster/sql/log-statements.ts';
import { giveDuty, readStatus, takeDuty, trimLog } from '../../../src/cluster/sql/upkeep-statements.ts';
import {
  pullUsage,
  pushUsage,
  readClock,
  removeUsage,
  type UsageCount,
  type UsagePull,
} from '../../../src/cluster/sql/usage-statements.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { makeTestCluster, type Place, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

t.test('the log is trimmed of what is old and far behind, while commits go on', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const { schema } = connection;
  let place: Place = cluster.beginning;
  const add = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) {
      const request = requestOn(place);
      t.equal((await commit(connection, request)).isCommitted, true);
      place = request.row;
    }
  };
  await add(30);
  t.equal(await trimLog(connection, { rows: 10, ageMs: 60_000 }), 0, 'nothing is old');
  t.equal(await trimLog(connection, { rows: 100, ageMs: 0 }), 0, 'nothing is far behind');
  await connection.run(`update ${schema}.log set at = now() - interval '1 day' where position <= 12`, []);
  const trimming = await cluster.connect();
  const [removed] = await Promise.all([trimLog(trimming, { rows: 10, ageMs: 60_000 }), add(10)]);
  t.equal(removed, 11, 'positions 2 to 12');
  t.equal((await readClusterHead(connection)).keptFrom, 13);
  t.equal((await rowsAfter(connection, 1)).rows[0]?.position, 13);
  t.equal(await trimLog(connection, { rows: 10, ageMs: 0 }), 19, 'all but the newest ten');
  t.equal((await readClusterHead(connection)).keptFrom, 32);
  t.same((await rowsAfter(connection, 31)).rows.length, 10);
  t.equal(await trimLog(connection, { rows: 10, ageMs: 0 }), 0);
});

t.test('of two that trim at once the one that keeps less decides', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  let place: Place = cluster.beginning;
  for (let done = 0; done < 20; done += 1) {
    const request = requestOn(place);
    await commit(connection, request);
    place = request.row;
  }
  await connection.run('begin', []);
  t.equal(await trimLog(connection, { rows: 5, ageMs: 0 }), 15);
  const waiting = trimLog(await cluster.connect(), { rows: 15, ageMs: 0 });
  const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock'`;
  const watching = await cluster.connect();
  while ((await watching.run(isWaiting, [])).count === 0);
  await connection.run('commit', []);
  t.equal(await waiting, 0);
  t.equal((await readClusterHead(connection)).keptFrom, 17, 'it does not go back');
});

t.test('a duty is held by one connection, and passes on when that ends', { skip }, async (t) => {
  const [cluster, other] = [await makeTestCluster(t, database), await makeTestCluster(t, database)];
  const [one, two] = [await cluster.connect('one'), await cluster.connect('two')];
  t.equal(await takeDuty(one, 'mail'), true);
  t.equal(await takeDuty(two, 'mail'), false);
  t.equal(await takeDuty(two, 'trimming'), true);
  t.equal(await takeDuty(await other.connect(), 'mail'), true, 'of another cluster');
  t.same((await readStatus(two)).duties, [
    { duty: 'mail', node: 'one' },
    { duty: 'trimming', node: 'two' },
  ]);
  await giveDuty(two, 'trimming');
  t.equal(await takeDuty(one, 'trimming'), true);
  one.destroy('a test');
  // PostgreSQL notices it when it reads the connection's end.
  while (!(await takeDuty(two, 'mail')));
  while (!(await takeDuty(two, 'trimming')));
  t.same(
    (await readStatus(two)).duties.map(({ node }) => node),
    ['two', 'two'],
  );
});

const count = (over: Partial<UsageCount>): UsageCount => ({
  bucket: 3_600_000,
  key: 'flag 1',
  first: 1,
  second: 2,
  ...over,
});

const kind = 'evaluations';
const pullOf = (node: string, over: Partial<UsagePull> = {}): UsagePull => ({
  kind,
  node,
  since: 0,
  after: { bucket: 0, key: '' },
  until: Number.MAX_SAFE_INTEGER,
  ...over,
});

t.test(
  'what nodes counted is added up, and what is told twice, or late, counts once',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const [one, two] = [await cluster.connect(), await cluster.connect()];
    await pushUsage(one, kind, 'abc', [count({}), count({ key: 'flag 2' })]);
    await pushUsage(two, kind, 'abc', [count({}), count({ key: 'flag 2' })]);
    await pushUsage(two, kind, 'def', [count({ first: 5, second: 7 })]);
    await pushUsage(two, kind, 'def', [count({ first: 4, second: 6 })]);
    const all = [count({ first: 6, second: 9 }), count({ key: 'flag 2' })];
    t.same(await pullUsage(one, pullOf('ghi')), all);
    t.same(await pullUsage(one, pullOf('def')), [count({}), count({ key: 'flag 2' })], 'without its own');
    t.same(await pullUsage(one, pullOf('ghi', { after: count({}) })), all.slice(1), 'behind a place');
    t.same(await pullUsage(one, pullOf('ghi', { kind: 'token-uses' })), []);
    t.same(await pullUsage(one, pullOf('ghi', { until: 3_600_000 })), all, 'an hour is read to its end');
    t.same(await pullUsage(one, pullOf('ghi', { until: 3_599_999 })), [], 'and no further');
    const now = await readClock(one);
    t.same(await pullUsage(one, pullOf('ghi', { since: now + 1 })), [], 'nobody has told anything since');
    await pushUsage(two, kind, 'def', [count({ first: 5, second: 8 })]);
    const since = await pullUsage(one, pullOf('ghi', { since: now }));
    t.same(since, [count({ first: 6, second: 10 })], 'the sum of all that somebody has told more of');
  },
);

t.test('pushes of many nodes at once add up and do not block one another', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const keys = Array.from({ length: 200 }, (_, index) => `flag ${index}`);
  await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const connection = await cluster.connect();
      // In another order each: without an order of its own PostgreSQL would find a deadlock.
      const own = index % 2 === 0 ? keys : keys.toReversed();
      for (let number = 1; number <= 10; number += 1) {
        const counts = own.map((key) => count({ key, first: number, second: number * 2 }));
        await pushUsage(connection, kind, `n${index}`, counts);
      }
    }),
  );
  const connection = await cluster.connect();
  const sums = await pullUsage(connection, pullOf('another'));
  t.equal(sums.length, 200);
  for (const { first, second } of sums) t.same([first, second], [60, 120]);
  t.equal(await removeUsage(connection, kind, 3_600_000), 0);
  t.equal(await removeUsage(connection, kind, 3_600_001), 1200);
  await t.rejects(pushUsage(connection, kind, 'n1', Array(5001).fill(count({}))), RangeError);
});
