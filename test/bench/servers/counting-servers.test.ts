import { spawn } from 'node:child_process';
import t, { type Test } from 'tap';
import { startCountingServers } from '../../../bench/servers/counting-servers.ts';
import {
  ownEnvironment,
  unbundledProgram,
  withoutEvaluationCounts,
  withoutMetrics,
} from '../../../bench/servers/programs.ts';
import { readAnswer } from '../../../bench/servers/same-answers.ts';
import { withServers } from '../../../bench/servers/with-servers.ts';
import { bootWithAdmin } from '../../admin/admin-fixture.ts';
import { provisionOne } from '../../lifecycle/lifecycle-fixture.ts';
import { runBurgee, type Settings } from '../../support/burgee-command.ts';
import { createHttpClient } from '../../support/http-client.ts';

/* What the bench compares Burgee with to tell what counting costs must answer, and must not count. */
t.setTimeout(300_000);

interface Counted {
  readonly answers: number;
  readonly evaluations: number;
  readonly hits: number;
  readonly batches: number;
  /** Entries of the database of evaluation counts, after the server has stopped. */
  readonly counts: number;
}

async function countedBy(t: Test, imports: readonly string[]): Promise<Counted> {
  const { dataDir, flag } = await provisionOne(t);
  const loaded = imports.flatMap((module) => ['--import', module]);
  const unbundled = (serve: readonly string[], settings: Settings = {}) =>
    spawn(process.execPath, [...loaded, unbundledProgram, ...serve], {
      env: { ...ownEnvironment(), ...settings },
    });
  const { server, admin } = await bootWithAdmin(t, { dataDir, spawn: unbundled });
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
    batches: scrape.value('burgee_evaluator_batch_size_count'),
    counts: databases.find(({ name }) => name === 'evaluation-counts')?.entries ?? -1,
  };
}

t.test('a server counts unless it is told otherwise', async (t) => {
  const { batches, ...counted } = await countedBy(t, []);
  t.same(counted, { answers: 3, evaluations: 3, hits: 2, counts: 1 });
  t.ok(batches >= 1);
});

t.test('without metrics, evaluation counts are left, and the other way round', async (t) => {
  const none = { answers: 0, evaluations: 0, hits: 0, batches: 0 };
  t.same(await countedBy(t, [withoutMetrics]), { ...none, counts: 1 });
  const { batches, ...counted } = await countedBy(t, [withoutEvaluationCounts]);
  t.same(counted, { answers: 3, evaluations: 3, hits: 2, counts: 0 });
  t.ok(batches >= 1);
  t.same(await countedBy(t, [withoutMetrics, withoutEvaluationCounts]), { ...none, counts: 0 });
});

t.test('all four answer for one flag, and stop', async (t) => {
  const origins = await withServers(async (keep) => {
    const { flagId, servers } = await startCountingServers(keep);
    t.same(
      servers.map(({ name }) => name),
      ['uncounted', 'counting', 'metrics', 'evaluation-counts'],
    );
    for (const { name, server } of servers) {
      const { status, body } = await readAnswer(server.origin, `/v1/flags/${flagId}?targetingKey=one`);
      t.equal(status, 200, name);
      t.equal((JSON.parse(body.toString('utf8')) as { id: string }).id, flagId);
    }
    return servers.map(({ server }) => server.origin);
  });
  for (const origin of origins) await t.rejects(readAnswer(origin, '/health'));
});
