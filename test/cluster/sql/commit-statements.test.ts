import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import {
  batchAt,
  changesBytesMax,
  commit,
  commitLocked,
  giveUpLock,
  lockHead,
} from '../../../src/cluster/sql/commit-statements.ts';
import type { SqlConnection } from '../../../src/cluster/sql/connection.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { rowsAfter } from '../../../src/cluster/sql/log-statements.ts';
import { closeCluster, openSnapshot } from '../../../src/cluster/sql/record-statements.ts';
import type { RecordRow } from '../../../src/cluster/sql/rows.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { makeTestCluster, type Place, recordOf, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(60_000);

async function recordsOf(connection: SqlConnection): Promise<string[]> {
  const snapshot = await openSnapshot(connection);
  const found: RecordRow[] = [];
  for await (const batch of snapshot.batches()) found.push(...batch);
  await snapshot.close();
  return found.map(({ database, key, value }) => `${database}/${key}=${value}`);
}

t.test(
  'of two connections that decided on one place exactly one wins, and the lock gives the other one its row',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const connections = [await cluster.connect(), await cluster.connect()] as const;
    let place: Place = cluster.beginning;
    for (let round = 0; round < 20; round += 1) {
      const requests = connections.map((_connection, index) =>
        requestOn(place, { node: `n${index}`, puts: [recordOf('a', `${round} of ${index}`)] }),
      );
      const outcomes = await Promise.all(
        connections.map((connection, index) =>
          commit(connection, requests[index] as (typeof requests)[number]),
        ),
      );
      const winner = outcomes.findIndex(({ isCommitted }) => isCommitted);
      t.equal(outcomes.filter(({ isCommitted }) => isCommitted).length, 1);
      const row = requests[winner]?.row as (typeof requests)[number]['row'];
      const loser = connections[1 - winner] as SqlConnection;
      t.same((await lockHead(loser, place.position)).others, { rows: [row], hasMore: false });
      await giveUpLock(loser);
      place = row;
    }
    t.equal((await readClusterHead(connections[0])).position, 21);
  },
);

t.test(
  'it does nothing at the right position with another checksum, or in a closed cluster',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database, [recordOf('a', 'kept')]);
    const connection = await cluster.connect();
    const removals = [recordOf('a', '')];
    const elsewhere = { position: 1, checksum: Buffer.alloc(32) };
    t.equal((await commit(connection, requestOn(elsewhere, { removals }))).isCommitted, false);
    t.equal(await closeCluster(connection, 2), false, 'not where the head is');
    t.equal(await closeCluster(connection, 1), true);
    t.equal(await closeCluster(connection, 1), false, 'closed already');
    t.equal((await commit(connection, requestOn(cluster.beginning, { removals }))).isCommitted, false);
    const { position, closedAt } = await readClusterHead(connection);
    t.equal(position, 1);
    t.ok(Math.abs((closedAt ?? 0) - Date.now()) < 60_000);
    t.same(await rowsAfter(connection, 0), { rows: [], hasMore: false });
    t.same(await recordsOf(connection), ['flags/a=kept']);
  },
);

t.test('a commit whose outcome is unknown is made once, however often it is sent', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const request = requestOn(cluster.beginning, { puts: [recordOf('a', '1')] });
  const broken = await cluster.connect();
  // It is on its way when the connection ends: made or not, nobody knows.
  const sent = commit(broken, request);
  broken.destroy('a test');
  await t.rejects(sent, { name: 'ConnectionOverError' });
  const second = await cluster.connect();
  const again = await commit(second, request);
  const third = await commit(second, request);
  t.equal(third.isCommitted, false, 'made before');
  t.type(again.isCommitted, 'boolean');
  t.equal(await batchAt(second, 2), request.row.batch);
  t.equal((await readClusterHead(second)).position, 2);
  // Another's row took the place: the batch tells.
  const lost = requestOn(cluster.beginning);
  t.equal((await commit(second, lost)).isCommitted, false);
  t.not(await batchAt(second, 2), lost.row.batch);
});

t.test('under the lock there is no conflict; others wait for it', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const [locking, other] = [await cluster.connect(), await cluster.connect()];
  const before = requestOn(cluster.beginning);
  await commit(other, before);
  const { head, others } = await lockHead(locking, 1);
  t.equal(head.position, 2);
  t.same(others, { rows: [before.row], hasMore: false });
  const request = requestOn(before.row);
  const waiting = commit(other, requestOn(before.row));
  const outcome = await commitLocked(locking, request);
  t.match(outcome, { isCommitted: true });
  t.match(await waiting, { isCommitted: false });
  // Given up, nothing is left of it.
  await lockHead(locking, 3);
  await giveUpLock(locking);
  t.equal((await commit(other, requestOn(request.row))).isCommitted, true);
});

t.test(
  'a lock that another holds is given up after two seconds, and the connection is good for more',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const [holding, waiting] = [await cluster.connect(), await cluster.connect()];
    await lockHead(holding, 1);
    const keepAlive = setInterval(() => void readClusterHead(holding).catch(() => undefined), 500);
    t.teardown(() => clearInterval(keepAlive));
    await t.rejects(lockHead(waiting, 1), { code: '55P03' });
    await giveUpLock(holding);
    t.equal((await lockHead(waiting, 1)).head.position, 1);
    t.equal((await commitLocked(waiting, requestOn(cluster.beginning))).isCommitted, true);
  },
);

t.test(
  'a commit under the lock rejects when its transaction has failed, and nothing is left of it',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const connection = await cluster.connect();
    await lockHead(connection, 1);
    await t.rejects(connection.run('select 1/0', []), { code: '22012' });
    await t.rejects(commitLocked(connection, requestOn(cluster.beginning)), { code: '25P02' });
    t.equal((await readClusterHead(await cluster.connect())).position, 1);
  },
);

t.test('a connection that holds the lock and says nothing is ended by PostgreSQL', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const silent = await cluster.connect();
  await lockHead(silent, 1);
  const waiting = await cluster.connect();
  const [reason] = await Promise.all([
    silent.ended,
    commit(waiting, requestOn(cluster.beginning)).catch(() => null),
  ]);
  t.match(reason.message, /idle-in-transaction timeout/);
  t.ok(silent.isOver);
  await t.rejects(readClusterHead(silent), { name: 'ConnectionOverError' });
  t.equal((await lockHead(waiting, 2)).head.position >= 1, true);
  await giveUpLock(waiting);
});

t.test('a long row is kept in parts and read whole, whatever is read at once', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  const long = Buffer.alloc(9 * 1024 * 1024, 'abcdefg');
  const rows = [];
  let place: Place = cluster.beginning;
  for (const changes of ['small', long, 'small too', '']) {
    const request = requestOn(place, { changes });
    t.equal((await commit(connection, request)).isCommitted, true);
    rows.push(request.row);
    place = request.row;
  }
  // Nobody wants to see the difference of such rows.
  const same = (found: readonly unknown[], wanted: readonly unknown[]): boolean =>
    t.ok(isDeepStrictEqual(found, wanted), 'the same rows');
  const all = await rowsAfter(connection, 1);
  t.equal(all.hasMore, false);
  same(all.rows, rows);
  // Bounds that end within the long row: it is left out, and comes whole when it is the first.
  const first = await rowsAfter(connection, 1, { rows: 500, bytes: 5_000_000 });
  t.equal(first.hasMore, true);
  same(first.rows, rows.slice(0, 1));
  const second = await rowsAfter(connection, 2, { rows: 500, bytes: 1000 });
  t.equal(second.hasMore, true);
  same(second.rows, rows.slice(1, 2));
  const third = await rowsAfter(connection, 2, { rows: 2, bytes: 1e9 });
  t.equal(third.hasMore, true);
  same(third.rows, rows.slice(1, 2));
  const fourth = await rowsAfter(connection, 3, { rows: 1, bytes: 1e9 });
  t.equal(fourth.hasMore, true);
  same(fourth.rows, rows.slice(2, 3));
  const tooLong = {
    ...requestOn(place),
    row: { ...requestOn(place).row, changes: Buffer.alloc(changesBytesMax + 1) },
  };
  await t.rejects(commit(connection, tooLong), RangeError);
});

t.test(
  'a commit whose follow-up fails has an unknown outcome, not that of a refusal',
  { skip },
  async (t) => {
    const cluster = await makeTestCluster(t, database);
    const connection = await cluster.connect();
    const other = await cluster.connect();
    await other.run('begin', []);
    await other.run(`lock table ${other.schema}.node in access exclusive mode`, []);
    const request = requestOn(cluster.beginning);
    const committed = commit(connection, request);
    // Its session is given up after 2 s of silence.
    const kept = setInterval(() => void other.run('select 1', []), 500);
    await t.rejects(committed, { name: 'ConnectionOverError' });
    clearInterval(kept);
    await other.run('rollback', []);
    t.ok(connection.isOver, 'it is not taken for refused');
    t.equal(await batchAt(other, request.row.position), request.row.batch, 'for it is stored');
  },
);

t.test('a server that takes writes no more is left', { skip }, async (t) => {
  const cluster = await makeTestCluster(t, database);
  const connection = await cluster.connect();
  await connection.run('set default_transaction_read_only = on', []);
  await t.rejects(commit(connection, requestOn(cluster.beginning)));
  t.ok(connection.isOver);
});
