import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { contextValuesMax } from '../../src/domain/evaluation/query-fault.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { assertUndelayed, startLatencyProbe } from '../support/latency-probe.ts';
import { idOf, projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { get } from './robustness-fixture.ts';

/*
 * Each value of a request's attributes is compared with each rule of an audience. Requests with as many values as are
 * allowed, for a project whose flags apply an audience of as many rules, delay no other tenant.
 */
t.setTimeout(120_000);
const delayMaxMs = 50;
const clients = 4;
const roundMs = 1000;

t.test('requests with many values for audiences of many rules delay no other tenant', async (t) => {
  const dataDir = temporaryDirectory(t);
  const rules = Array.from({ length: 50 }, () => ({ attribute: 'a', values: ['last', 'second', 'third'] }));
  const on = { enabled: true, trafficPercentage: 100 };
  const ruled = Array.from({ length: 300 }, (_, index) => ({ ...on, name: `f${index}`, audience: 'ruled' }));
  const listed = Array.from({ length: 100_000 }, (_, index) => `v${index}`).concat('last');
  const long = [{ attribute: 'a', values: listed.slice(1) }];
  // With its flags the project is too large for a list: its audience is read for each request, and has no index before.
  const many = Array.from({ length: 3000 }, (_, index) => ({ ...on, name: `f${index}`, audience: 'long' }));
  const projects = [
    { name: 'long', audiences: [{ name: 'long', rules: long }], flags: many },
    { name: 'ruled', audiences: [{ name: 'ruled', rules }], flags: ruled },
    { name: 'quiet', flags: [{ ...on, name: 'flag' }] },
  ];
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const settings = { ...unlimited, BURGEE_WORKERS: '1', BURGEE_CACHE_BYTES: '8MiB' };
  const { port, stop } = await bootServer(t, { dataDir, settings });
  const quiet = idOf(projectOf(provisioned, 'quiet').flags, 'flag');
  const request = get(`/v1/flags/${quiet}?targetingKey=probe`);
  const probe = await startLatencyProbe(t, [{ name: 'evaluation', port, request }]);
  const calm = await probe.during(async () => undefined, 100);
  const { id: projectId, flags } = projectOf(provisioned, 'ruled');
  const values = Array.from({ length: contextValuesMax - 1 }, (_, index) => `a=${index}`).join('&');
  const list = { context: { a: [...Array.from({ length: contextValuesMax - 1 }, String), 'last'] } };
  const asked = {
    'the list of the project': { path: `/v1/flags/project/${projectId}?${values}&a=last` },
    'the list of a project that is not kept': {
      path: `/v1/flags/project/${projectOf(provisioned, 'long').id}?${values}&a=last`,
    },
    'one flag': { path: `/v1/flags/${idOf(flags, 'f0')}?${values}&a=last` },
    'all flags by OFREP': {
      path: `/projects/${projectId}/ofrep/v1/evaluate/flags`,
      method: 'POST',
      body: JSON.stringify(list),
    },
  };
  for (const [name, sent] of Object.entries(asked)) {
    await t.test(name, async (t) => {
      const statuses = new Set<number>();
      await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
        let isOver = false;
        const ask = async (): Promise<void> => {
          const client = createHttpClient(t, { port });
          while (!isOver) statuses.add((await client.send(sent)).status);
        };
        const all = Promise.all(Array.from({ length: clients }, ask));
        await setTimeout(roundMs);
        isOver = true;
        await all;
      });
      t.same([...statuses], [200], 'they are answered');
    });
  }
  const tooMany = await createHttpClient(t, { port }).send({ path: `/v1/flags/${quiet}?${values}&a=1&a=2` });
  t.equal(tooMany.status, 400, 'one value more is refused');
  await stop();
});
