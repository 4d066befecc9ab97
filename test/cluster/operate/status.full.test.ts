import t from 'tap';
import { readStatus } from '../../../src/cluster/sql/upkeep-statements.ts';
import { eventually } from '../../support/expectations.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { operatedCluster, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(240_000);
const file = t;

t.test('status shows nodes, head and duties, and says which nodes are not sound', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  const none = await cluster.burgee('cluster', 'status');
  t.equal(none.code, 1);
  t.match(none.stderr, /There is no cluster in the schema/);
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const empty = await cluster.burgee('cluster', 'status', '--json');
  t.equal(empty.code, 1);
  t.match(JSON.parse(empty.stdout), { isSound: false, position: 1, nodes: [], problems: ['no node runs'] });

  const [first, second] = [await cluster.boot(directory), await cluster.boot()];
  t.equal(await setPercentage(second, cluster, 40), 200);
  const connection = await cluster.connect();
  // Nodes take the duties within a moment.
  await eventually(
    async () => (await readStatus(connection)).duties.some(({ duty }) => duty === 'clean-up'),
    15_000,
    'a duty has its node',
  );
  const sound = await cluster.burgee('cluster', 'status', '--json');
  t.equal(sound.code, 0, sound.stdout + sound.stderr);
  const status = JSON.parse(sound.stdout);
  t.match(status, {
    isSound: true,
    schema: cluster.schema,
    schemaVersion: 1,
    position: Number,
    keptFrom: 2,
    closedAt: null,
    checksum: /^[0-9a-f]{64}$/,
    logRows: Number,
    problems: [],
    notes: [/no synchronous standby/],
  });
  const ids = status.nodes.map(({ id }: { id: string }) => id);
  t.ok(status.duties.every(({ node }: { node: string }) => ids.includes(node)));
  t.ok(Math.abs(status.movedAt - Date.now()) < 60_000);
  t.same(
    status.nodes.map(({ lag, isReady }: { lag: number; isReady: boolean }) => [lag, isReady]),
    [
      [0, true],
      [0, true],
    ],
  );
  const text = await cluster.burgee('cluster', 'status');
  t.equal(text.code, 0);
  t.match(text.stdout, /^head +\d+, since 20.*The cluster is sound\.\n$/ms);
  t.equal(text.stdout.match(/ ready$/gm)?.length, 2);

  // Nobody is left to remove them.
  await first.stop();
  await second.stop();
  await connection.run(
    `insert into ${connection.schema}.node(id, counter, applied, knows_format, label, renewed_at, lease_ms)
     select 'x', 1, position, format, 'frozen', now() - interval '9 seconds', 3000 from ${connection.schema}.head
     union all select 'y', 1, position - 1, 0, 'slow', now() + interval '9 seconds', 3000 from ${connection.schema}.head`,
    [],
  );
  const bad = await cluster.burgee('cluster', 'status', '--json');
  t.equal(bad.code, 1);
  t.match(JSON.parse(bad.stdout), {
    isSound: false,
    nodes: [
      { id: 'x', lag: 0, isReady: false },
      { id: 'y', lag: 1, isReady: false },
    ],
    problems: [
      /^node x \(frozen\) has not renewed its lease for \d+\.\d s/,
      /^node y \(slow\) is 1 changes behind/,
      /^node y \(slow\) cannot read the newest changes: upgrade it/,
    ],
  });
});
