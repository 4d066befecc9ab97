import t from 'tap';
import {
  countAttempts,
  giveBackAttempts,
  removeOldAttempts,
} from '../../../src/cluster/sql/attempt-statements.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { makeTestCluster } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };

t.test('attempts of several connections are counted exactly, and can be given back', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connections = [await cluster.connect(), await cluster.connect(), await cluster.connect()];
  const keys = [['a', 'b'], ['b', 'a'], ['b']];
  const counted = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const connection = connections[index % 3] as (typeof connections)[0];
      return countAttempts(connection, keys[index % 3] ?? [], 60_000);
    }),
  );
  const counts = (key: string): number[] =>
    counted
      .flatMap((rows) => rows.filter((row) => row.key === key).map(({ count }) => count))
      .sort((one, other) => one - other);
  t.strictSame(
    counts('a'),
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  t.strictSame(
    counts('b'),
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
  const [first] = connections as [(typeof connections)[0]];
  await giveBackAttempts(first, ['a', 'absent']);
  const [again] = await countAttempts(first, ['a'], 60_000);
  t.match(again, { count: 40, secondsLeft: 60 });
});

t.test('a window ends, and its count is removed', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await countAttempts(connection, ['short'], 100);
  await countAttempts(connection, ['long'], 60_000);
  const isOver = async (): Promise<boolean> => (await removeOldAttempts(connection)) === 1;
  await eventually(isOver, 5000, 'the short window has ended');
  t.match(await countAttempts(connection, ['long'], 60_000), [{ count: 2 }]);
  await countAttempts(connection, ['short'], 1);
  const beginsAnew = async (): Promise<boolean> =>
    (await countAttempts(connection, ['short'], 1))[0]?.count === 1;
  await eventually(beginsAnew, 5000, 'the next attempt begins a window');
});
