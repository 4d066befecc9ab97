import { spawn } from 'node:child_process';
import t, { type Test } from 'tap';
import { bundleCountingProgram } from '../../../bench/servers/counting-program.ts';
import { countingVariants } from '../../../bench/servers/counting-servers.ts';
import { ownEnvironment } from '../../../bench/servers/programs.ts';
import { bootWithAdmin } from '../../admin/admin-fixture.ts';
import { provisionOne } from '../../lifecycle/lifecycle-fixture.ts';
import { runBurgee, type Settings } from '../../support/burgee-command.ts';
import { createHttpClient } from '../../support/http-client.ts';

/* The bench measures the cost of counting with servers that must answer like Burgee but not count. */
t.setTimeout(300_000);

interface Counted {
  readonly answers: number;
  readonly evaluations: number;
  readonly hits: number;
  /** Entries of the database of evaluation counts, after the server has stopped. */
  readonly counts: number;
}

const program = await bundleCountingProgram();

/** The counts of one contender. */
async function countedBy(t: Test, contender: string): Promise<Counted> {
  const variant = countingVariants.find(({ name }) => name === contender);
  if (variant === undefined) throw new Error(`no contender is called ${contender}`);
  const { dataDir, flag } = await provisionOne(t);
  const loaded = program.importsOf(variant.without).flatMap((module) => ['--import', module]);
  const spawnVariant = (serve: readonly string[], settings: Settings = {}) =>
    spawn(process.execPath, [...loaded, program.main, ...serve], {
      env: { ...ownEnvironment(), ...settings },
    });
  const { server, admin } = await bootWithAdmin(t, { dataDir, spawn: spawnVariant });
  const client = createHttpClient(t, { port: server.port });
  for (let request = 0; request < 3; request += 1) {
    t.equal((await client.send({ path: `/v1/flags/${flag}` })).status, 200);
  }
  const scrape = await admin.scrape();
  await server.stop();
  const { databases } = JSON.parse((await runBurgee(['stat', '--json', '--data-dir', dataDir])).stdout) as {
    databases: { name: string; entries: number }[];
  };
  return {
    answers: scrape.sum('burgee_http_request_duration_seconds_count'),
    evaluations: scrape.sum('burgee_evaluations_total'),
    hits: scrape.value('burgee_flag_cache_lookups_total', { result: 'hit' }),
    counts: databases.find(({ name }) => name === 'evaluation-counts')?.entries ?? -1,
  };
}

const none = { answers: 0, evaluations: 0, hits: 0 };

t.test('a server counts by default', async (t) => {
  t.same(await countedBy(t, 'counting'), { answers: 3, evaluations: 3, hits: 2, counts: 1 });
});

t.test('without metrics, evaluation counts stay, and the other way round', async (t) => {
  t.same(await countedBy(t, 'evaluation-counts'), { ...none, counts: 1 });
  t.same(await countedBy(t, 'metrics'), { answers: 3, evaluations: 3, hits: 2, counts: 0 });
});

t.test('without its counters, a server counts nothing', async (t) => {
  t.same(await countedBy(t, 'uncounted'), { ...none, counts: 0 });
});
