import { createHash } from 'node:crypto';
import { request } from 'node:http';
import t, { type Test } from 'tap';
import { bootWithAdmin, type Scrape } from '../admin/admin-fixture.ts';
import { inMegabytes, ownBytesOf } from '../campaigns/process-memory.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { startControlServer } from '../support/latency-probe.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection, type RawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { described, measure, openCrowd } from './crowd.ts';
import { get } from './robustness-fixture.ts';

/*
 * One tenant has flags with a hundred environments. In one flag each environment shows the same list of a megabyte; in
 * another each has a long list of its own. Their answers come completely, in pieces, while another tenant is answered
 * as usual. The memory for clients that read nothing is bounded and divided into shares.
 */
t.setTimeout(180_000);
const environments = Array.from({ length: 100 }, (_, index) => `environment-${index}`);
const inheritedCohorts = 20_000;
const ownCohorts = 4000;
const roundMs = 2000;
/**
 * Counts steps instead of delays, because counts are the same on a busy machine. Done in one step, the work would take
 * far longer.
 */
const steps = 'burgee_worker_step_duration_seconds';
/**
 * The limit of memory: a token's share of kept records, and more than as much again for memory that is not given back
 * yet.
 */
const grownBytesMax = 100 * 1024 * 1024;

const cohortsOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`.padEnd(22, '.'));

async function open(t: Test) {
  const dataDir = temporaryDirectory(t);
  const inherits = cohortsOf('all', inheritedCohorts);
  const owned = environments.map((name) => [name, { cohorts: cohortsOf(name, ownCohorts) }] as const);
  const flags = [
    { name: 'inherits', cohorts: inherits },
    { name: 'holds', environments: Object.fromEntries(owned) },
  ];
  const tokens = [{ name: 'ci', permission: 'write' }];
  const projects = [{ name: 'group', environments, flags, tokens }];
  const own = [{ name: 'small', enabled: true, trafficPercentage: 100, cohorts: cohortsOf('own', 20_000) }];
  const document = {
    organisations: [
      { name: 'Large', plan: 'enterprise', projects },
      { name: 'Small', plan: 'enterprise', projects: [{ name: 'other', flags: own, tokens }] },
    ],
  };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const settings = { ...unlimited, BURGEE_WORKERS: '1' };
  const { server, admin } = await bootWithAdmin(t, { dataDir, settings });
  const [group, other] = [projectOf(provisioned, 'group'), projectOf(provisioned, 'other')];
  const bearerOf = (project: typeof group): string =>
    `Authorization: Bearer ${tokenOf(project, 'ci').secret}`;
  return { server, admin, group, other, bearerOf };
}

/** @returns the status, the length and the hash of an answer of any length */
function digest(port: number, path: string, authorization: string): Promise<readonly unknown[]> {
  const [name = '', value = ''] = authorization.split(': ');
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { [name]: value }, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const hash = createHash('sha256');
      let length = 0;
      response.on('data', (piece: Buffer) => {
        hash.update(piece);
        length += piece.length;
      });
      response.on('error', reject);
      response.on('end', () => resolve([response.statusCode, length, hash.digest('hex')]));
    });
    sent.end();
  });
}

function digestOf(text: string): readonly unknown[] {
  return [200, Buffer.byteLength(text), createHash('sha256').update(text).digest('hex')];
}

t.test('an answer with a hundred long lists is complete, and made in short steps', async (t) => {
  const { server, admin, group, other, bearerOf } = await open(t);
  const { port } = server;
  const authorization = bearerOf(group);
  const client = createHttpClient(t, { port });
  const views: string[] = [];
  for (const [name, listOf] of [
    ['inherits', () => cohortsOf('all', inheritedCohorts)],
    ['holds', (environment: string) => cohortsOf(environment, ownCohorts)],
  ] as const) {
    const id = idOf(group.flags, name);
    const path = `/api/v1/flags/${id}`;
    const [header = '', value = ''] = authorization.split(': ');
    const one = await client.send({ path: `${path}?env=environment-7`, headers: { [header]: value } });
    const { kind, updatedAt, cohorts } = JSON.parse(one.text);
    t.same(cohorts, listOf('environment-7'));
    const state = (environment: string) => {
      const rest = { audienceId: null, updatedAt };
      return [
        environment,
        { enabled: false, trafficPercentage: 0, cohorts: listOf(environment), ...rest },
      ] as const;
    };
    const states = Object.fromEntries(environments.map(state));
    const text = JSON.stringify({ id, name, kind, updatedAt, environments: states });
    t.same(await digest(port, path, authorization), digestOf(text), `${inMegabytes(text.length)} MB`);
    const tag = one.headers.get('etag') ?? '';
    const again = await client.send({ path, headers: { [header]: value, 'if-none-match': tag } });
    t.same([again.status, again.headers.get('etag'), again.text.length], [304, tag, 0]);
    const foreign = await digest(port, path, bearerOf(other));
    t.equal(foreign[0], 404, "another project's flag does not exist");
    views.push(text);
  }
  const list = `{"flags":[${views.toReversed().join(',')}]}`;
  t.same(await digest(port, '/api/v1/flags', authorization), digestOf(list), 'the list of both flags');
  const named = `{"flags":[${views[0]}]}`;
  t.same(
    await digest(port, '/api/v1/flags?name=inherits', authorization),
    digestOf(named),
    'and of one flag',
  );

  const crowd = openCrowd(t, port);
  const control = createHttpClient(t, { port: await startControlServer(t) });
  const ask = async (): Promise<number> =>
    (await client.send({ path: `/v1/flags/${idOf(other.flags, 'small')}?cohort=absent` })).status;
  const requests = ['inherits', 'holds'].map((name) =>
    get(`/api/v1/flags/${idOf(group.flags, name)}`, authorization),
  );
  const before = await admin.scrape();
  crowd.begin(4, [...requests, get('/api/v1/flags', authorization)]);
  const met = await measure(roundMs, ask, () => control.send({ path: '/' }));
  t.comment(`${described(met)}; the crowd got ${JSON.stringify(await crowd.end())}`);
  t.same(Object.keys(met.statuses), ['200'], 'another tenant is answered meanwhile');
  const after = await admin.scrape();
  const stepsWithin = (seconds: string): number => {
    const of = (scrape: Scrape) => scrape.sum(`${steps}_bucket`, { le: seconds });
    return of(after) - of(before);
  };
  const all = stepsWithin('+Inf');
  t.ok(all > 100, `${all} steps`);
  t.ok(stepsWithin('0.005') >= 0.9 * all, `${stepsWithin('0.005')} of them within 5 ms`);
  t.ok(stepsWithin('0.1') >= 0.99 * all, `${stepsWithin('0.1')} of them within 100 ms`);
  const isIdle = async () => (await admin.scrape()).value('burgee_long_answers_in_flight') === 0;
  await eventually(isIdle, 5000, 'no memory is held any more');
  await server.stop();
});

t.test('memory for clients that read nothing is bounded, and divided into shares', async (t) => {
  const { server, admin, group, other, bearerOf } = await open(t);
  const { port } = server;
  const path = `/api/v1/flags/${idOf(group.flags, 'holds')}`;
  const kept = async (): Promise<number> => (await admin.scrape()).value('burgee_unsent_answer_bytes');
  await digest(port, path, bearerOf(group));
  const before = ownBytesOf(server.pid);
  const unread: RawConnection[] = [];
  for (let count = 0; count < 20; count += 1) {
    const connection = await openRawConnection(t, port);
    connection.pause();
    connection.write(get(path, bearerOf(group)));
    unread.push(connection);
  }
  await eventually(async () => (await kept()) > 10_000_000, 5000, 'the held memory is counted');
  const own = await digest(port, `/api/v1/flags/${idOf(other.flags, 'small')}`, bearerOf(other));
  t.equal(own[0], 200, 'another tenant has its share');
  const grown = ownBytesOf(server.pid) - before;
  t.ok(grown < grownBytesMax, `the process grew by ${inMegabytes(grown)} MB`);
  t.ok((await kept()) <= 128 * 1024 * 1024);
  const isReplaced = async () => (await digest(port, path, bearerOf(group)))[0] === 200;
  await eventually(isReplaced, 10_000, 'a client that reads gets the place of one that does not');
  for (const connection of unread) connection.destroy();
  await eventually(async () => (await kept()) === 0, 5000, 'all memory is given back');
  await server.stop();
});
