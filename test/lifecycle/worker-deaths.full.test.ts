import t, { type Test } from 'tap';
import { type AdminClient, adminClientOf, type Scrape } from '../admin/admin-fixture.ts';
import { type CampaignProject, provisionProject } from '../campaigns/campaign-project.ts';
import { SteadyLoad } from '../campaigns/steady-load.ts';
import { getRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually, within } from '../support/expectations.ts';
import { bootTampered, type TamperedServer } from '../support/tampering/tampered-server.ts';
import type { FaultKind, Moment } from '../support/tampering/tampering.ts';

/* What the campaign `workers` does not try: failures of replacements, exact counts, and connections that are shared out. */
t.setTimeout(300_000);

const connections = 64;
const wholeAgainWithinMs = 1000;
/** Time limit for a replacement that must load first, because the only spare is in use. */
const loadedWithinMs = 4000;

interface Stage {
  readonly project: CampaignProject;
  readonly server: TamperedServer;
  readonly admin: AdminClient;
  readonly load: SteadyLoad;
  readonly workers: number;
}

async function setUp(t: Test, workers: number, settings = {}, speed = 1): Promise<Stage> {
  const project = await provisionProject(t, { flags: 4 });
  const server = await bootTampered(t, {
    dataDir: project.dataDir,
    speed,
    settings: { ...unlimited, BURGEE_WORKERS: String(workers), BURGEE_ADMIN_PORT: '0', ...settings },
  });
  const load = SteadyLoad.start(t, {
    port: server.port,
    connections,
    pauseMs: 5,
    requestOf: (turn) => getRequest(`/v1/flags/${project.flags[turn % 4]}?targetingKey=${turn}`),
    isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
  });
  await eventually(() => load.tally.answered > connections, 5000, 'no request is answered');
  return { project, server, admin: await adminClientOf(t, server), load, workers };
}

function strike({ server }: Stage, kind: FaultKind, moment: Moment, threads = 1): Promise<void> {
  return server.arm({ kind, moment, countdown: 1, threads });
}

async function struck({ server }: Stage, threads = 1): Promise<void> {
  await eventually(async () => (await server.report()).struck >= threads, 5000, 'no fault was triggered');
}

function isWhole(scrape: Scrape, { workers }: Stage, replacements: number): boolean {
  return (
    scrape.value('burgee_workers') === workers &&
    scrape.value('burgee_worker_replacements_total') === replacements
  );
}

async function wholeAgain(
  t: Test,
  stage: Stage,
  replacements = 1,
  withinMs = wholeAgainWithinMs,
): Promise<void> {
  const startedAt = performance.now();
  await eventually(
    async () => isWhole(await stage.admin.scrape(), stage, replacements),
    withinMs,
    'the pool is not complete again',
  );
  t.comment(`whole again after ${Math.round(performance.now() - startedAt)} ms`);
}

/** Each connection gets some more answers, and all answers were right. */
async function judgeLoad(t: Test, { load, server }: Stage): Promise<void> {
  const { answered } = load.tally;
  const isAnswered = (): boolean => load.tally.answered > answered + 5 * connections;
  await eventually(isAnswered, 10_000, 'no more answers come');
  const { wrong, lost, unavailable } = await load.stop();
  t.same(wrong, []);
  t.comment(`${load.tally.answered} answers, ${lost} connections lost, ${unavailable} refused`);
  await server.stop();
}

t.test('a worker that throws after a request leaves in order: no connection is lost', async (t) => {
  const stage = await setUp(t, 2);
  await strike(stage, 'throw-later', 'request');
  await struck(stage);
  await wholeAgain(t, stage);
  await judgeLoad(t, stage);
  t.equal(stage.load.tally.unavailable, 0, 'no request was refused');
  t.equal(stage.load.tally.lost, 0, 'each connection was closed with an answer');
  const reasons = stage.server.lines.filter((line) => line.includes('a worker shuts down'));
  t.equal(reasons.length, 1);
  t.match(reasons[0], /a fault that the test ordered/);
});

t.test('a request whose evaluation throws gets 500, and its worker still serves', async (t) => {
  const stage = await setUp(t, 1);
  await strike(stage, 'throw', 'request');
  await struck(stage);
  await eventually(() => stage.load.tally.wrong.length > 0, 5000, 'no request got a 500');
  await stage.load.stop();
  t.equal(stage.load.tally.wrong.length, 1);
  t.match(stage.load.tally.wrong[0], /^HTTP\/1\.1 500 /);
  t.ok(isWhole(await stage.admin.scrape(), stage, 0), 'no worker was replaced');
  await stage.server.stop();
});

for (const kind of ['throw', 'exit'] as const) {
  t.test(`a replacement fails at its start (${kind}): the next one serves`, async (t) => {
    const stage = await setUp(t, 2);
    await strike(stage, kind, 'start');
    await strike(stage, 'throw', 'beat');
    await struck(stage, 2);
    await wholeAgain(t, stage, 2, loadedWithinMs);
    await judgeLoad(t, stage);
    t.equal(stage.load.tally.unavailable, 0, 'no request was refused');
  });
}

t.test('management requests are counted exactly, over worker deaths and connections', async (t) => {
  const limit = 60;
  const stage = await setUp(t, 2, { BURGEE_MANAGEMENT_RATE_LIMIT: String(limit) });
  const { secret } = stage.project;
  let [taken, refused, lost] = [0, 0, 0];
  const ask = async (): Promise<void> => {
    const connection = await WireConnection.open(stage.server.port);
    for (let turn = 0; turn < 10; turn += 1) {
      const answer = await connection.ask(getRequest('/api/v1/token', secret)).catch(() => null);
      if (answer === null) lost += 1;
      else if (answer.status === 200) taken += 1;
      else if (answer.status === 429) refused += 1;
      if (connection.isLost) break;
    }
    connection.destroy();
  };
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(Array.from({ length: 4 }, ask));
    if (round > 0) continue;
    await strike(stage, 'throw', 'beat');
    await struck(stage);
    await wholeAgain(t, stage);
  }
  t.equal(lost, 0);
  t.equal(taken, limit);
  t.ok(refused > 0);
  await judgeLoad(t, stage);
});

t.test('a replacement that hangs before it serves ends the process', async (t) => {
  const stage = await setUp(t, 2, { BURGEE_REQUEST_DEADLINE_MS: '10000' }, 10);
  await strike(stage, 'hang', 'start');
  await strike(stage, 'throw', 'beat');
  await struck(stage, 2);
  t.equal(await within(stage.server.ended, 20_000, () => 'the process does not end'), 'SIGKILL');
  await stage.load.stop();
  t.same(stage.load.tally.wrong, []);
  const told = stage.server.lines.filter((line) => line.includes('has not become ready'));
  t.ok(told.length > 0, stage.server.lines.slice(-3).join('\n'));
});

/** Time limit until a replacement has its share of long-lived connections. */
const sharedWithinMs = 10_000;

t.test('a replacement gets its share of long-lived connections', async (t) => {
  const stage = await setUp(t, 3);
  await strike(stage, 'throw', 'beat');
  await struck(stage);
  await wholeAgain(t, stage);
  const startedAt = performance.now();
  const isShared = async (): Promise<boolean> => {
    const scrape = await stage.admin.scrape();
    const all = scrape.value('burgee_connections');
    const share = scrape.value('burgee_worker_connections_max') / (all / 3);
    return all >= connections && scrape.value('burgee_workers') === 3 && share < 1.25;
  };
  await eventually(isShared, sharedWithinMs, 'the connections are not shared out');
  t.comment(`shared out after ${Math.round(performance.now() - startedAt)} ms`);
  await judgeLoad(t, stage);
});
