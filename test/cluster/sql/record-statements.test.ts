import { randomBytes } from 'node:crypto';
import t from 'tap';
import { commit } from '../../../src/cluster/sql/commit-statements.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { createCluster, openSnapshot } from '../../../src/cluster/sql/record-statements.ts';
import type { RecordRow } from '../../../src/cluster/sql/rows.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { connectForTest, makeTestCluster, type Place, recordOf, requestOn } from './support/test-cluster.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(60_000);

const text = ({ database, key, value }: RecordRow): string => `${database}/${key.toString('hex')}=${value}`;

t.test('a store goes up and comes down as it was, in order and in bounded batches', { skip }, async (t) => {
  const records: RecordRow[] = [];
  for (let index = 0; index < 12_000; index += 1)
    records.push({
      database: index % 2 === 0 ? 'Z-first-by-bytes' : 'a',
      key: randomBytes(8),
      value: Buffer.from(String(index)),
    });
  // Larger than a batch: it goes alone, and those before and behind it too.
  records.push({ database: 'a', key: Buffer.alloc(0), value: Buffer.alloc(9 * 1024 * 1024, 1) });
  records.push({ database: 'a', key: Buffer.from([0]), value: Buffer.alloc(0) });
  const schema = database.freshSchema();
  const connection = await connectForTest(t, database.url, schema);
  const uploaded = await createCluster(connection, {
    store: 'store',
    format: 1,
    checksum: Buffer.alloc(32, 1),
    records: (async function* () {
      yield* records;
    })(),
  });
  t.same(uploaded, {
    records: records.length,
    bytes: records.reduce((sum, { key, value }) => sum + key.length + value.length, 0),
  });
  const snapshot = await openSnapshot(connection);
  t.match(snapshot.head, { store: 'store', position: 1, keptFrom: 2, checksum: Buffer.alloc(32, 1) });
  const found: RecordRow[] = [];
  for await (const batch of snapshot.batches()) {
    t.ok(batch.length <= 5000);
    const bytes = batch.reduce((sum, { value }) => sum + value.length, 0);
    t.ok(batch.length === 1 || bytes - (batch.at(-1)?.value.length ?? 0) <= 8 * 1024 * 1024);
    found.push(...batch);
  }
  await snapshot.close();
  const inOrder = records.sort((one, other) =>
    one.database === other.database
      ? Buffer.compare(one.key, other.key)
      : one.database < other.database
        ? -1
        : 1,
  );
  t.equal(found.map(text).join(), inOrder.map(text).join());
});

t.test(
  'a second cluster in one schema is refused, and one that fails leaves nothing',
  { skip },
  async (t) => {
    const schema = database.freshSchema();
    const connection = await connectForTest(t, database.url, schema);
    const cluster = { store: 's', format: 1, checksum: Buffer.alloc(32) };
    const twice = [recordOf('a', '1'), recordOf('a', '2')];
    await t.rejects(createCluster(connection, { ...cluster, records: twice }), { code: '23505' });
    await t.rejects(readClusterHead(connection), { code: '42P01' }, 'not even tables');
    await createCluster(connection, { ...cluster, records: [] });
    await t.rejects(
      createCluster(connection, { ...cluster, records: [] }),
      /there is a cluster in the schema .* already/,
    );
  },
);

t.test('of two that create at once one does', { skip }, async (t) => {
  const schema = database.freshSchema();
  const cluster = { store: 's', format: 1, checksum: Buffer.alloc(32), records: [recordOf('a', '1')] };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3 }, async () =>
      createCluster(await connectForTest(t, database.url, schema), cluster),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  t.equal(refused.length, 2);
  for (const { reason } of refused) t.equal(reason.name, 'ClusterExistsError');
});

t.test('a snapshot is of one position while commits go on', { skip }, async (t) => {
  const keys = Array.from({ length: 6000 }, (_, index) => String(index).padStart(5, '0'));
  const cluster = await makeTestCluster(
    t,
    database,
    keys.map((key) => recordOf(key, '0')),
  );
  const writing = await cluster.connect();
  let place: Place = cluster.beginning;
  let isOver = false;
  // Each commit gives all of a few records one value more, the first and the last of the order among them.
  const touched = ['00000', '02500', '04999', '05001', '05999'];
  const valueAt = new Map<number, string>([[1, '0']]);
  const write = async (): Promise<void> => {
    while (!isOver) {
      const value = String(place.position);
      const request = requestOn(place, { puts: touched.map((key) => recordOf(key, value)) });
      t.equal((await commit(writing, request)).isCommitted, true);
      place = request.row;
      valueAt.set(place.position, value);
    }
  };
  const writes = write();
  const reading = await cluster.connect();
  for (let round = 0; round < 10; round += 1) {
    const snapshot = await openSnapshot(reading);
    const found = new Map<string, string>();
    for await (const batch of snapshot.batches())
      for (const { key, value } of batch) found.set(key.toString(), value.toString());
    await snapshot.close();
    t.equal(found.size, keys.length);
    const values = new Set(touched.map((key) => found.get(key)));
    const { position } = snapshot.head;
    // The commit's answer may come after the snapshot that shows it.
    t.same([...values], [valueAt.get(position) ?? String(position - 1)], `at ${position}`);
  }
  isOver = true;
  await writes;
  t.ok(place.position > 10, `${place.position} commits meanwhile`);
});
