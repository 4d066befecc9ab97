import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SyncSnapshot } from '../../../src/domain/sync/configuration.ts';
import type { BootedServer } from '../../support/booted-server.ts';
import { eventually } from '../../support/expectations.ts';
import { findPostgres, own, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import { PostgresServer, startPostgres } from '../../support/postgres/postgres-server.ts';
import {
  isDetached,
  type OperatedCluster,
  operatedCluster,
  percentageOf,
  setPercentage,
  syncOf,
} from '../support/operator.ts';

const { binaries: found, skip } = findPostgres();
const binaries = found as PostgresBinaries;
t.setTimeout(240_000);
const file = t;

interface DutyHolders {
  readonly nodes: readonly { readonly id: string }[];
  readonly duties: readonly { readonly duty: string; readonly node: string }[];
}

/** Makes of a server what a failover makes: one of the next timeline. */
async function promoted(postgres: PostgresServer): Promise<void> {
  await postgres.stop();
  const signal = join(postgres.directory, 'standby.signal');
  writeFileSync(signal, '');
  own(signal);
  await postgres.start();
  await postgres.promote();
}

for (const isPromoted of [false, true]) {
  const when = isPromoted ? 'a moment before a failover' : 'an earlier moment';
  t.test(`a PostgreSQL restored to ${when} takes all nodes back with it`, { skip }, (t) =>
    restored(t, isPromoted),
  );
}

t.test(
  'a PostgreSQL that was restored while no node was there, nor its directory, begins another history',
  { skip },
  async (t) => {
    const postgres = await startPostgres(t, binaries);
    const database = { url: postgres.url(), freshSchema: () => 'earlier' };
    const cluster = await operatedCluster(file, t, database);
    t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
    const lost = await cluster.boot();
    t.equal(await setPercentage(lost, cluster, 10), 200);
    const copy = new PostgresServer(binaries, {});
    t.teardown(() => copy.remove());
    await postgres.stop();
    await copy.fill(postgres.directory);
    await postgres.start();
    await eventually(
      async () => (await setPercentage(lost, cluster, 20)) === 200,
      20_000,
      'changes are taken',
    );
    const known = (await syncOf(lost, cluster)).headers.get('etag') ?? '';
    t.equal((await syncOf(lost, cluster, known)).status, 304);
    await lost.stop();

    await postgres.stop();
    rmSync(postgres.directory, { recursive: true });
    await postgres.fill(copy.directory);
    await postgres.start();
    const nodes = [await cluster.boot(), await cluster.boot()] as const;
    const [, second] = nodes;
    t.equal(await setPercentage(second, cluster, 30), 200, 'as many changes as in the past that is lost');
    for (const node of nodes) {
      const answer = await syncOf(node, cluster, known);
      t.equal(answer.status, 200, 'what is known of the past that is lost is not taken for the present');
      t.match(await answer.json(), { flags: [{ trafficPercentage: 30 }] });
    }
    const begun = await historyOf(second, cluster);
    const third = await cluster.boot();
    t.equal(await setPercentage(third, cluster, 40), 200);
    t.equal(await historyOf(third, cluster), begun, 'a node that joins others begins none');
  },
);

async function historyOf(node: BootedServer, cluster: OperatedCluster): Promise<string | undefined> {
  const { version } = (await (await syncOf(node, cluster)).json()) as SyncSnapshot;
  return version.split('.')[0];
}

async function restored(t: Test, isPromoted: boolean): Promise<void> {
  const postgres = await startPostgres(t, binaries);
  const database = { url: postgres.url(), freshSchema: () => 'earlier' };
  const cluster = await operatedCluster(file, t, database);
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', cluster.directory)).code, 0);
  const nodes = [await cluster.boot(cluster.directory), await cluster.boot()] as const;
  const [first, second] = nodes;
  for (const percentage of [10, 20]) t.equal(await setPercentage(first, cluster, percentage), 200);

  const copy = new PostgresServer(binaries, {});
  t.teardown(() => copy.remove());
  await postgres.stop();
  await copy.fill(postgres.directory);
  await postgres.start();
  if (isPromoted) await promoted(postgres);
  await eventually(
    async () => (await setPercentage(first, cluster, 30)) === 200,
    20_000,
    'changes are taken',
  );
  for (const percentage of [31, 32]) t.equal(await setPercentage(second, cluster, percentage), 200);
  const history = await historyOf(first, cluster);

  await postgres.stop();
  rmSync(postgres.directory, { recursive: true });
  await postgres.fill(copy.directory);
  await postgres.start();
  for (const node of nodes) {
    await eventually(
      async () => (await percentageOf(node, cluster)) === 20,
      20_000,
      'a node starts anew by itself',
    );
    t.equal(await isDetached(node, cluster), false);
  }
  for (const node of nodes) {
    const hasAnother = async (): Promise<boolean> => (await historyOf(node, cluster)) !== history;
    await eventually(hasAnother, 10_000, 'another history begins before anybody changes anything');
  }
  t.equal(await setPercentage(second, cluster, 40), 200);
  t.equal(await percentageOf(first, cluster), 40);
  for (const { dataDir } of nodes) {
    const check = await cluster.burgee('cluster', 'check', '--data-dir', dataDir);
    t.equal(check.code, 0, check.stdout);
  }

  const soundOnes = async (): Promise<boolean> => {
    const status = await cluster.burgee('cluster', 'status', '--json');
    const { nodes: known, duties } = JSON.parse(status.stdout) as DutyHolders;
    const ids = known.map(({ id }) => id);
    return duties.length === 2 && duties.every(({ node }) => ids.includes(node));
  };
  await eventually(soundOnes, 20_000, 'each duty is shown on a node that is listed');
}
