import t, { type Test } from 'tap';
import { oneProject } from '../lifecycle/lifecycle-fixture.ts';
import { type BootedServer, unlimited } from '../support/booted-server.ts';
import { bearer, type ClientRequest, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type AdminClient, bootWithAdmin, type Scrape } from './admin-fixture.ts';

/* The metrics are compared with the requests that were sent: a request is counted once its answer is there. */
t.setTimeout(300_000);

/** Token uses and evaluation counts are recorded once in this time. */
const recordedEveryMs = 2000;

const requests = 'burgee_http_request_duration_seconds_count';
const evaluations = 'burgee_evaluations_total';

const document = {
  organisations: [
    {
      name: 'Harbour',
      plan: 'enterprise',
      members: [{ name: 'Owner', email: 'owner@example.com', role: 'owner' }],
      projects: [
        {
          name: 'open',
          flags: [
            { name: 'on', enabled: true, trafficPercentage: 100 },
            { name: 'off' },
            { name: 'half', enabled: true, trafficPercentage: 50 },
            { name: 'cohort', enabled: true, trafficPercentage: 0, cohorts: ['testers'] },
          ],
          tokens: [
            { name: 'ci', permission: 'write' },
            { name: 'reader', permission: 'read' },
          ],
        },
        { name: 'closed', evaluationAccess: false, flags: [{ name: 'hidden', enabled: true }] },
      ],
    },
  ],
};

interface Scene {
  readonly server: BootedServer;
  readonly dataDir: string;
  readonly admin: AdminClient;
  readonly port: number;
  readonly flags: Readonly<Record<'on' | 'off' | 'half' | 'cohort' | 'hidden', string>>;
  readonly projectId: string;
  readonly writer: Record<string, string>;
  readonly reader: Record<string, string>;
  /** Sends a request, and records how its answer should be counted. */
  send(route: string, request: ClientRequest, times?: number): Promise<readonly ClientResponse[]>;
  /** Expected counts by `route status`. */
  readonly sent: Map<string, number>;
}

async function openScene(t: Test, settings: Record<string, string> = unlimited): Promise<Scene> {
  const dataDir = temporaryDirectory(t);
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const open = projectOf(provisioned, 'open');
  const { server, admin } = await bootWithAdmin(t, {
    dataDir,
    settings: { BURGEE_WORKERS: '2', ...settings },
  });
  const client = createHttpClient(t, { port: server.port, connectionsMax: 8 });
  const sent = new Map<string, number>();
  const sendOne = async (route: string, request: ClientRequest): Promise<ClientResponse> => {
    const response = await client.send(request);
    const key = `${route} ${response.status}`;
    sent.set(key, (sent.get(key) ?? 0) + 1);
    return response;
  };
  return {
    server,
    dataDir,
    admin,
    port: server.port,
    flags: {
      on: idOf(open.flags, 'on'),
      off: idOf(open.flags, 'off'),
      half: idOf(open.flags, 'half'),
      cohort: idOf(open.flags, 'cohort'),
      hidden: idOf(projectOf(provisioned, 'closed').flags, 'hidden'),
    },
    projectId: open.id,
    writer: bearer(tokenOf(open, 'ci').secret),
    reader: bearer(tokenOf(open, 'reader').secret),
    send: (route, request, times = 1) =>
      Promise.all(Array.from({ length: times }, () => sendOne(route, request))),
    sent,
  };
}

/** The page's requests by route and status. */
function requestsOf(scrape: Scrape): Record<string, number> {
  const counts = [...scrape.samples].filter(([series]) => series.startsWith(`${requests}{`));
  return Object.fromEntries(
    counts.map(([series, count]) => {
      const [, route, status] = /route="([^"]+)",status="([^"]+)"/.exec(series) ?? [];
      return [`${route} ${status}`, count];
    }),
  );
}

async function evaluateAll({ send, flags, projectId }: Scene): Promise<{ readonly bucketed: number }> {
  await send('evaluate-flag', { path: `/v1/flags/${flags.on}` }, 40);
  await send('evaluate-flag', { path: `/v1/flags/${flags.on}`, method: 'HEAD' }, 2);
  await send('evaluate-flag', { path: `/v1/flags/${flags.on}?note=${'x'.repeat(2000)}` }, 3);
  await send('evaluate-flag', { path: `/v1/flags/${flags.off}` }, 30);
  await send('evaluate-flag', { path: `/v1/flags/${flags.cohort}?cohort=testers` }, 20);
  await send('evaluate-flag', { path: `/v1/flags/${flags.cohort}?cohort=others` }, 10);
  let bucketed = 0;
  for (let key = 0; key < 25; key += 1) {
    const [answer] = await send('evaluate-flag', { path: `/v1/flags/${flags.half}?targetingKey=k${key}` });
    if (answer?.text.includes('"enabled":true')) bucketed += 1;
  }
  await send('evaluate-flag', { path: '/v1/flags/aaaaaaaaaaaaaaaaaaaa' }, 5);
  await send('evaluate-flag', { path: `/v1/flags/${flags.on}?a=%zz` }, 3);
  await send('evaluate-flag', { path: `/v1/flags/${flags.hidden}` }, 2);
  await send('evaluate-project', { path: `/v1/flags/project/${projectId}?targetingKey=somebody` }, 6);
  await send('evaluate-project', { path: '/v1/flags/project/aaaaaaaaaaaaaaaaaaaa' }, 2);
  await send('evaluation-other', { path: '/v1/nothing/here' }, 3);
  await send('evaluation-other', { path: '/v1/flags/x', method: 'OPTIONS' });
  return { bucketed };
}

async function manageAll({ send, flags, writer, reader }: Scene): Promise<void> {
  const patch = (body: object, headers = writer): ClientRequest => ({
    method: 'PATCH',
    path: `/api/v1/flags/${flags.off}`,
    headers,
    body: JSON.stringify(body),
  });
  const create = (name: string): ClientRequest => ({
    method: 'POST',
    path: '/api/v1/flags',
    headers: writer,
    body: JSON.stringify({ name }),
  });
  await send('read-token', { path: '/api/v1/token', headers: writer }, 2);
  await send('list-flags', { path: '/api/v1/flags', headers: reader }, 2);
  await send('read-flag', { path: `/api/v1/flags/${flags.on}`, headers: reader }, 3);
  await send('read-flag', { path: '/api/v1/flags/aaaaaaaaaaaaaaaaaaaa', headers: reader });
  await send('read-flag', { path: `/api/v1/flags/${flags.on}`, headers: bearer('burgee_wrong') }, 3);
  for (const trafficPercentage of [10, 20, 30, 40]) await send('patch-flag', patch({ trafficPercentage }));
  await send('patch-flag', patch({ trafficPercentage: 40 }));
  await send('patch-flag', patch({ trafficPercentage: 'much' }));
  await send('patch-flag', patch({ enabled: true }, reader));
  await send('create-flag', create('first'));
  await send('create-flag', create('second'));
  await send('management-other', { path: '/api/v1/nothing', headers: reader }, 2);
  await send('health', { path: '/health' }, 3);
  await send('console-page', { path: '/' });
  await send('other', { path: '/metrics' });
}

t.test('counts match the requests that were sent, once the answers are there', async (t) => {
  const startedAt = Date.now();
  const scene = await openScene(t);
  const { admin, sent } = scene;
  const { bucketed } = await evaluateAll(scene);
  await manageAll(scene);
  const scrape = await admin.scrape();

  t.same(requestsOf(scrape), Object.fromEntries(sent), 'requests by route and status');
  const of = (kind: string, reason: string): number => scrape.value(evaluations, { kind, reason });
  t.equal(of('flag', 'full-rollout'), 45);
  t.equal(of('flag', 'flag-off'), 30);
  t.equal(of('flag', 'cohort-match'), 20);
  t.equal(of('flag', 'no-rollout'), 10);
  t.equal(of('flag', 'bucket-in-rollout'), bucketed);
  t.equal(of('flag', 'bucket-not-in-rollout'), 25 - bucketed);
  t.equal(of('flag', 'not-found'), 5);
  t.equal(of('flag', 'invalid-request'), 3);
  t.equal(of('flag', 'access-off'), 2);
  t.equal(of('flag', 'failed'), 0);
  t.equal(of('project', 'not-found'), 2);
  t.equal(of('project', 'full-rollout'), 6, 'each flag of each requested project');
  t.equal(scrape.sum(evaluations, { kind: 'project' }), 6 * 4 + 2);
  t.equal(scrape.sum(evaluations, { outcome: 'on', kind: 'flag' }), 45 + 20 + bucketed);

  t.equal(
    scrape.sum('burgee_flag_cache_lookups_total'),
    scrape.sum(evaluations, { kind: 'flag' }) - of('flag', 'invalid-request'),
    'each valid evaluation looked its flag up',
  );
  t.equal(scrape.value('burgee_flag_cache_lookups_total', { result: 'absent' }), 5);
  t.ok(scrape.value('burgee_flag_cache_lookups_total', { result: 'hit' }) > 100);
  t.equal(scrape.sum('burgee_project_list_lookups_total'), 6);
  t.ok(scrape.value('burgee_flag_cache_bytes') > 0);

  const writes = ['patch-flag', 'create-flag'].map((route) => scrape.sum(requests, { route }));
  const others = scrape.value('burgee_writer_group_size_sum') - (writes[0] ?? 0) - (writes[1] ?? 0);
  const recordings = 2 * Math.ceil((Date.now() - startedAt) / recordedEveryMs);
  t.ok(others >= 0 && others <= recordings, `writes, token uses and evaluation counts: ${others}`);
  const committed = scrape.value('burgee_writer_commit_duration_seconds_count', { source: 'api' });
  t.equal(committed, 4 + 2 + 1, 'changes, creations, and the denial of the read token');
  t.equal(scrape.value('burgee_outbox_depth'), 1, 'whose mail waits');
  t.equal(scrape.value('burgee_failed_authentications_total'), 3);
  t.equal(scrape.sum('burgee_rate_limited_requests_total'), 0);

  const operators = { source: 'operator' };
  t.equal(scrape.value('burgee_writer_commit_duration_seconds_count', operators), 0);
  await provision(scene.dataDir, temporaryDirectory(t), oneProject('another', {}));
  const later = await admin.scrape();
  t.equal(later.value('burgee_writer_commit_duration_seconds_count', operators), 1, 'an apply');
  t.equal(later.value('burgee_writer_commit_duration_seconds_count', { source: 'api' }), committed);
});

t.test('token uses are counted that found no room before the next recording', async (t) => {
  const scene = await openScene(t);
  const uncounted = async (): Promise<number> =>
    (await scene.admin.scrape()).value('burgee_uncounted_token_uses_total');
  t.equal(await uncounted(), 0);
  let asked = 0;
  // A worker holds 1,000 different uses for two seconds. A slow machine needs some rounds to make more in that time.
  while ((await uncounted()) === 0) {
    const from = asked;
    const headers = scene.reader;
    const ask = (index: number) =>
      scene.send('list-flags', { path: `/api/v1/flags?env=${from + index}`, headers });
    await Promise.all(Array.from({ length: 3000 }, (_, index) => ask(index)));
    asked += 3000;
  }
  t.ok((await uncounted()) < asked, 'the other uses are recorded');
});

t.test('idle queues are 0, and existing things are measured', async (t) => {
  const scene = await openScene(t);
  await evaluateAll(scene);
  const first = await scene.admin.scrape();
  // The log says why a worker was replaced.
  t.same(
    scene.server.lines.filter((line) => /"level":(50|60)\b/.test(line)),
    [],
  );
  for (const name of [
    'burgee_long_answers_in_flight',
    'burgee_unsent_answer_bytes',
    'burgee_pinned_snapshots',
    'burgee_body_bytes',
    'burgee_console_requests_in_flight',
    'burgee_writer_queue_depth',
    'burgee_writer_queue_bytes',
    'burgee_management_requests_in_flight',
    'burgee_unrecorded_denials_total',
    'burgee_uncounted_evaluations_total',
    'burgee_uncounted_token_uses_total',
    'burgee_worker_replacements_total',
  ]) {
    t.equal(first.value(name), 0, name);
  }
  t.equal(first.value('burgee_ready'), 1);
  t.equal(first.value('burgee_workers'), 2);
  t.equal(first.value('burgee_workers_configured'), 2);
  t.ok(first.value('burgee_connections') >= 1);
  t.ok(first.value('burgee_worker_connections_max') <= first.value('burgee_connections'));
  t.ok(first.value('burgee_store_file_bytes') >= first.value('burgee_store_used_bytes'));
  t.ok(first.value('burgee_store_map_bytes') > first.value('burgee_store_file_bytes'));
  t.ok(first.value('burgee_storage_free_bytes') > 0);
  t.ok(first.value('process_resident_memory_bytes') > 1e7);
  t.ok(first.value('process_cpu_seconds_total') > 0);
  t.equal(first.value('burgee_build_info', { node: process.versions.node }), 1);
  t.ok(Math.abs(first.value('process_start_time_seconds') - Date.now() / 1000) < 120);
  let later = first;
  const waited = (): boolean =>
    ['front', 'worker', 'writer'].every(
      (thread) =>
        later.value('burgee_event_loop_delay_seconds_count', { thread }) >
        first.value('burgee_event_loop_delay_seconds_count', { thread }),
    );
  while (!waited()) later = await scene.admin.scrape();
  t.pass('event loops are watched, idle ones too');
  for (const [series, value] of first.samples) {
    if (/_(total|count|sum|bucket)(\{|$)/.test(series))
      t.ok((later.samples.get(series) ?? -1) >= value, series);
  }
});

t.test('refusals are counted by limit', async (t) => {
  const scene = await openScene(t, {
    BURGEE_MANAGEMENT_RATE_LIMIT: '10',
    BURGEE_FAILED_AUTHENTICATION_LIMIT: '2',
    BURGEE_EVALUATION_RATE_LIMIT: '3',
  });
  const { send, flags, admin } = scene;
  await send('evaluate-flag', { path: `/v1/flags/${flags.on}` }, 5);
  for (let turn = 0; turn < 14; turn += 1) {
    await send('read-token', { path: '/api/v1/token', headers: bearer('burgee_wrong') });
  }
  for (const email of ['owner@example.com', 'unknown@example.com', 'unknown@example.com']) {
    const body = JSON.stringify({ email, password: 'guess' });
    const headers = { 'x-burgee-console': '1', 'sec-fetch-site': 'same-origin' };
    await send('console-session', { method: 'POST', path: '/console/api/session', headers, body });
  }
  const scrape = await admin.scrape();
  const failed = (account: string): number => scrape.value('burgee_failed_sign_ins_total', { account });
  t.strictSame([failed('known'), failed('unknown')], [1, 2], 'a known account may have no password');
  const of = (limit: string): number => scrape.value('burgee_rate_limited_requests_total', { limit });
  t.equal(of('evaluation-requests'), 2);
  t.equal(of('failed-authentications'), 8);
  t.equal(of('management-requests'), 4);
  t.equal(scrape.value('burgee_failed_authentications_total'), 2);
  t.same(requestsOf(scrape), Object.fromEntries(scene.sent));
});

t.test('a client that goes away is counted as gone', async (t) => {
  const { admin, port, writer } = await openScene(t);
  const connection = await openRawConnection(t, port);
  const authorization = `Authorization: ${writer['authorization']}`;
  connection.write(
    `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Length: 100\r\n\r\n{`,
  );
  while ((await admin.scrape()).value('burgee_management_requests_in_flight') === 0);
  connection.destroy();
  let scrape = await admin.scrape();
  while (scrape.value('burgee_management_requests_in_flight') > 0) scrape = await admin.scrape();
  const unanswered = { route: 'create-flag', by: 'client' };
  t.equal(scrape.value('burgee_http_requests_unanswered_total', unanswered), 1);
  t.equal(scrape.sum('burgee_http_requests_unanswered_total'), 1);
  t.same(requestsOf(scrape), {});
});

t.test('no client can choose a label or add a series', async (t) => {
  const { admin, port, send, flags, writer } = await openScene(t);
  const hostile = [
    '/v1/flags/HOSTILE',
    '/v1/flags/project/HOSTILE',
    '/v1/HOSTILE',
    '/api/v1/HOSTILE',
    '/HOSTILE',
  ];
  const ask = async (round: number): Promise<void> => {
    for (const path of hostile) await send('any', { path: `${path}${round}?HOSTILE${round}=HOSTILE` });
    await send('any', {
      path: `/v1/flags/${flags.on}?env=HOSTILE${round}&cohort=HOSTILE&targetingKey=HOSTILE`,
    });
    await send('any', { path: `/api/v1/flags/HOSTILE${round}`, headers: bearer(`burgee_HOSTILE${round}`) });
    await send('any', {
      path: `/api/v1/flags/HOSTILE${round}`,
      headers: writer,
      method: 'PATCH',
      body: '{"HOSTILE":1}',
    });
    await send('any', { path: `/HOSTILE${round}`, method: 'PURGE' });
  };
  await ask(0);
  const before = await admin.scrape();
  for (let round = 1; round < 20; round += 1) await ask(round);
  const client = createHttpClient(t, { port, localAddress: '127.0.0.9' });
  await client.send({ path: '/health', headers: { 'x-forwarded-for': 'HOSTILE' } });
  await send('any', { path: '/health' });
  const after = await admin.scrape();
  t.notMatch(after.text, /HOSTILE/i);
  t.notMatch(after.text, new RegExp(flags.on));
  const added = [...after.samples.keys()].filter((series) => !before.samples.has(series));
  t.same(
    added.filter((series) => !series.includes('route="health"')),
    [],
    'only the first request of /health adds a series',
  );
});
