import t from 'tap';
import type { SqlConnection } from '../../../src/cluster/sql/connection.ts';
import { readClusterHead } from '../../../src/cluster/sql/head-statements.ts';
import { trimLog } from '../../../src/cluster/sql/upkeep-statements.ts';
import { openForWriting } from '../../../src/storage/store-opening.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { type OperatedCluster, operatedCluster, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(240_000);
const file = t;

interface Report {
  readonly isClean: boolean;
  readonly findings: readonly string[];
  readonly replica: { readonly position: number } | null;
}

async function check(cluster: OperatedCluster, ...words: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await cluster.burgee('cluster', 'check', '--json', ...words);
  const report = JSON.parse(stdout) as Report;
  if (report.findings === undefined) throw new Error(stderr);
  if (code !== (report.isClean ? 0 : 3)) throw new Error(`exit ${code}: ${stdout}`);
  return report;
}

/** Damages one thing in PostgreSQL, asks, and takes it back. */
async function damaged(
  cluster: OperatedCluster,
  connection: SqlConnection,
  damage: string,
  ...words: readonly string[]
): Promise<readonly string[]> {
  const tables = ['head', 'log', 'record'];
  const { schema } = connection;
  for (const table of tables)
    await connection.run(`create table ${schema}.sound_${table} as table ${schema}.${table}`, []);
  const { count } = await connection.run(damage, []);
  if (count !== 1) throw new Error(`${damage}: ${count} rows`);
  const { findings } = await check(cluster, ...words);
  for (const table of tables) {
    await connection.run(`truncate ${schema}.${table}`, []);
    await connection.run(`insert into ${schema}.${table} select * from ${schema}.sound_${table}`, []);
    await connection.run(`drop table ${schema}.sound_${table}`, []);
  }
  return findings;
}

t.test('each damage of log, records and a replica is found', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  t.match(await check(cluster, '--data-dir', directory), { isClean: true, replica: { position: 1 } });
  const node = await cluster.boot();
  for (let percentage = 1; percentage <= 6; percentage += 1) await setPercentage(node, cluster, percentage);
  t.match(
    await check(cluster, '--data-dir', node.dataDir),
    { isClean: true, replica: { position: Number } },
    'beside a running node',
  );
  await node.stop();
  const connection = await cluster.connect();
  const { schema } = connection;
  // Beside the changes it has what was recorded of the token's use.
  const { position: last } = await readClusterHead(connection);
  await connection.run(`update ${schema}.log set at = now() - interval '1 day' where position <= 3`, []);
  t.equal(await trimLog(connection, { rows: 1, ageMs: 60_000 }), 2);

  const behind = await check(cluster, '--data-dir', directory);
  t.match(behind, { isClean: false, replica: null });
  t.match(behind.findings, [/it is at 1, and the log has 4 and newer/]);
  t.match(
    await check(cluster),
    { isClean: true, replica: null },
    'the chain holds where the log was trimmed',
  );

  const flipped = 'set_byte(changes, 40, 255 - get_byte(changes, 40))';
  for (const position of [4, 5, last]) {
    const findings = await damaged(
      cluster,
      connection,
      `update ${schema}.log set changes = ${flipped} where position = ${position}`,
    );
    t.match(findings, [new RegExp(`^log/${position}: the row is not what was committed`)]);
  }
  const lost = await damaged(cluster, connection, `delete from ${schema}.log where position = 5`);
  t.match(lost, [/^log\/5: the row is missing/]);
  const end = await damaged(cluster, connection, `delete from ${schema}.log where position = ${last}`);
  t.match(end, [new RegExp(`^log/${last}: the row is missing`)]);
  const head = await damaged(cluster, connection, `update ${schema}.head set checksum = sha256('x')`);
  t.match(head, [new RegExp(`^head: its checksum is not that of position ${last}`)]);

  const flag = `database = 'flags' and key = '${cluster.flag}'`;
  const removed = await damaged(cluster, connection, `delete from ${schema}.record where ${flag}`);
  t.match(removed, [new RegExp(`^record flags/${cluster.flag}: row \\d+ has put it, and it is missing`)]);
  const changed = await damaged(
    cluster,
    connection,
    `update ${schema}.record set value = set_byte(value, 9, 255 - get_byte(value, 9)) where ${flag}`,
  );
  t.match(changed, [new RegExp(`^record flags/${cluster.flag}: row \\d+ has put another value`)]);
  const extra = `insert into ${schema}.record values ('flags', 'zzzzzzzzzzzzzzzzzzzz', 'x', 6)`;
  t.match(await damaged(cluster, connection, extra), [
    /^record flags\/z*: it is of row 6, which has not put it/,
  ]);

  // What no row of the log names is told by a replica alone.
  const replica = ['--data-dir', node.dataDir];
  const old = `database = 'projects' and position = 1`;
  t.match(await damaged(cluster, connection, `delete from ${schema}.record where ${old}`, ...replica), [
    /^replica projects\/.*: the replica has it, and the cluster has not/,
  ]);
  t.match(await damaged(cluster, connection, extra.replace(', 6)', ', 1)'), ...replica), [
    /^replica flags\/z*: it is missing from the replica/,
  ]);
  t.match(await check(cluster, ...replica), { isClean: true });

  const opened = openForWriting({ directory: node.dataDir, mapBytes: 2 ** 30, replica: { storeId: null } });
  const { organisations } = opened.databases;
  for (const key of organisations.getKeys()) {
    const value = Buffer.from(organisations.get(key) as Buffer);
    const place = value.indexOf('Acme');
    value[place] = 'B'.charCodeAt(0);
    if (place > 0) organisations.putSync(key, value);
  }
  await opened.root.close();
  opened.gate.close();
  const other = await check(cluster, ...replica);
  t.equal(other.isClean, false);
  t.match(other.findings, [/organisations\//], `${other.findings}`);
});
