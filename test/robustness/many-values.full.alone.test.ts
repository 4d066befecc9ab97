import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { contextValuesMax } from '../../src/domain/evaluation/query-fault.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { type ClientRequest, createHttpClient } from '../support/http-client.ts';
import { assertUndelayed, startLatencyProbe } from '../support/latency-probe.ts';
import { idOf, type ProvisionedProject, projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { get } from './robustness-fixture.ts';

/*
 * Each value of a request's attributes is compared with each rule of an audience, and each of its cohorts with those of a
 * flag. Requests with as many values as are allowed, for projects with as long lists, delay no other tenant.
 */
t.setTimeout(120_000);
const delayMaxMs = 50;
const roundMs = 1000;
const on = { enabled: true, trafficPercentage: 100 };
const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

interface Siege {
  readonly projects: readonly object[];
  readonly cacheBytes: string;
  readonly clients: number;
  /** Requests that clients send in turn, by what they ask for. */
  asked(project: (name: string) => ProvisionedProject): Readonly<Record<string, readonly ClientRequest[]>>;
}

async function assertNobodyDelayed(t: Test, { projects, cacheBytes, clients, asked }: Siege): Promise<void> {
  const dataDir = temporaryDirectory(t);
  const quietProject = { name: 'quiet', flags: [{ ...on, name: 'flag' }] };
  const organisation = { name: 'Harbour', plan: 'enterprise', projects: [...projects, quietProject] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), { organisations: [organisation] });
  const settings = { ...unlimited, BURGEE_WORKERS: '1', BURGEE_CACHE_BYTES: cacheBytes };
  const { port, stop } = await bootServer(t, { dataDir, settings });
  const quiet = idOf(projectOf(provisioned, 'quiet').flags, 'flag');
  const request = get(`/v1/flags/${quiet}?targetingKey=probe`);
  const probe = await startLatencyProbe(t, [{ name: 'evaluation', port, request }]);
  const calm = await probe.during(async () => undefined, 100);
  for (const [name, requests] of Object.entries(asked((named) => projectOf(provisioned, named)))) {
    await t.test(name, async (t) => {
      const statuses = new Set<number>();
      await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
        let isOver = false;
        const ask = async (): Promise<void> => {
          const client = createHttpClient(t, { port });
          while (!isOver) for (const sent of requests) statuses.add((await client.send(sent)).status);
        };
        const all = Promise.all(Array.from({ length: clients }, ask));
        await setTimeout(roundMs);
        isOver = true;
        await all;
      });
      t.same([...statuses], [200], 'they are answered');
    });
  }
  await stop();
}

const listByOfrep = ({ id }: ProvisionedProject, context: object): ClientRequest => ({
  path: `/projects/${id}/ofrep/v1/evaluate/flags`,
  method: 'POST',
  body: JSON.stringify({ context }),
});

t.test('requests with many values for audiences of many rules delay no other tenant', async (t) => {
  const rules = Array.from({ length: 50 }, () => ({ attribute: 'a', values: ['last', 'second', 'third'] }));
  const ruled = numbered(300, 'f').map((name) => ({ ...on, name, audience: 'ruled' }));
  const long = [{ attribute: 'a', values: [...numbered(30_000, 'v'), 'last'] }];
  // With its flags the project is too large for a list: its audience is read for each request, and has no index before.
  const many = numbered(3000, 'f').map((name) => ({ ...on, name, audience: 'long' }));
  const values = numbered(contextValuesMax - 1, '');
  const query = `${values.map((value) => `a=${value}`).join('&')}&a=last`;
  await assertNobodyDelayed(t, {
    projects: [
      { name: 'long', audiences: [{ name: 'long', rules: long }], flags: many },
      { name: 'ruled', audiences: [{ name: 'ruled', rules }], flags: ruled },
    ],
    ...{ cacheBytes: '8MiB', clients: 4 },
    asked: (project) => ({
      'the list of the project': [{ path: `/v1/flags/project/${project('ruled').id}?${query}` }],
      'the list of a project that is not kept': [
        { path: `/v1/flags/project/${project('long').id}?${query}` },
      ],
      'one flag': [{ path: `/v1/flags/${idOf(project('ruled').flags, 'f0')}?${query}` }],
      'all flags by OFREP': [listByOfrep(project('ruled'), { a: [...values, 'last'] })],
    }),
  });
});

t.test(
  'some cohorts for flags with long lists, whose projects displace each other, delay nobody',
  async (t) => {
    const cohorts = numbered(100_000, 'c');
    const flags = numbered(22, 'f').map((name) => ({ enabled: true, trafficPercentage: 0, name, cohorts }));
    await assertNobodyDelayed(t, {
      projects: [
        { name: 'one', flags },
        { name: 'other', flags },
      ],
      // With one client each list is built, displaces the other, and is used once, without an index.
      ...{ cacheBytes: '256MiB', clients: 1 },
      asked: (project) =>
        Object.fromEntries(
          [6, contextValuesMax].map((count) => [
            `${count} cohorts`,
            ['one', 'other'].map((name) => listByOfrep(project(name), { cohort: numbered(count, 'x') })),
          ]),
        ),
    });
  },
);

t.test('one value more than a query may have is refused', async (t) => {
  const dataDir = temporaryDirectory(t);
  const project = { name: 'quiet', flags: [{ ...on, name: 'flag' }] };
  const organisations = [{ name: 'Harbour', plan: 'enterprise', projects: [project] }];
  const provisioned = await provision(dataDir, temporaryDirectory(t), { organisations });
  const { port, stop } = await bootServer(t, { dataDir });
  const path = `/v1/flags/${idOf(projectOf(provisioned, 'quiet').flags, 'flag')}`;
  const client = createHttpClient(t, { port });
  const query = numbered(contextValuesMax, '').map((value) => `a=${value}`);
  t.equal((await client.send({ path: `${path}?${query.join('&')}` })).status, 200);
  t.equal((await client.send({ path: `${path}?${query.join('&')}&a=1` })).status, 400);
  await stop();
});
