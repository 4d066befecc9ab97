import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { HostDesk } from '../../src/front/host-desk.ts';
import type { PasswordHashing } from '../../src/front/password-queue.ts';
import { Rebalancing } from '../../src/front/rebalancing.ts';
import { SyncDesk } from '../../src/front/sync-desk.ts';
import { WorkerLink } from '../../src/front/worker-link.ts';
import { createFrontServer, type FrontServer } from '../../src/http/front-server.ts';
import { createWorkerServer } from '../../src/http/worker-server.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { plainJsonHeaders } from '../../src/operations/answer-headers.ts';
import { evaluationMetrics } from '../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { RequestMeter } from '../../src/worker/request-meter.ts';
import { requestMetrics } from '../../src/worker/request-metrics-protocol.ts';
import { connectionsCell, shedCell, stateCells } from '../../src/worker/worker-protocol.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { openPolicy, roomForAll } from '../support/served-routes.ts';

/* The front end and the apps of its workers share one thread here, because only the choice of the worker is tested. */

interface App {
  readonly link: WorkerLink;
  readonly state: Int32Array<SharedArrayBuffer>;
}

interface Scene {
  readonly front: FrontServer;
  readonly port: number;
  readonly rebalancing: Rebalancing;
}

async function openScene(t: Test): Promise<Scene> {
  const front = createFrontServer({
    meter: new RequestMeter(createMetricMemory(requestMetrics)).answers,
    countedAs: 0,
    policy: openPolicy,
    handle: (exchange) => exchange.answerClosing(503, plainJsonHeaders, 'nobody'),
    onFault: (fault) => t.fail(String(fault)),
    ...roomForAll,
  });
  t.teardown(() => {
    front.stopListening();
    front.close();
  });
  return { front, port: await front.listen('127.0.0.1', 0), rebalancing: new Rebalancing(front) };
}

/** No worker uses the desk here. */
const desk = new HostDesk({
  ...{ openId: null, cluster: null, sync: new SyncDesk(), onReported: () => undefined },
  hashing: {} as PasswordHashing,
});

function addApp(t: Test, { front }: Scene, name: string): App {
  const memory = {
    state: new SharedArrayBuffer(stateCells * Int32Array.BYTES_PER_ELEMENT),
    requestMetrics: createMetricMemory(requestMetrics),
    evaluationMetrics: createMetricMemory(evaluationMetrics),
  };
  const state = new Int32Array(memory.state);
  const server = createWorkerServer({
    routes: [
      {
        method: 'get',
        pattern: '/*',
        countedAs: 0,
        handle: (exchange) => exchange.answer(200, plainJsonHeaders, name),
      },
    ],
    directRoutes: [],
    meter: new RequestMeter(memory.requestMetrics).answers,
    policy: {
      mustClose: () => Atomics.load(state, shedCell) > 0 && Atomics.sub(state, shedCell, 1) > 0,
      unsent: openPolicy.unsent,
    },
    failure: { headers: plainJsonHeaders, body: '' },
    onFault: (fault) => t.fail(String(fault)),
    refuseAmbiguous: () => undefined,
    ...roomForAll,
    onConnection: (change) => {
      Atomics.add(state, connectionsCell, change);
      return true;
    },
  });
  const { port1, port2 } = new MessageChannel();
  const link = new WorkerLink(memory, port1, desk, {
    onReady: () => undefined,
    onLeaving: async () => undefined,
    onMessage: () => undefined,
  });
  t.teardown(() => {
    link.close();
    port2.close();
    server.close();
  });
  link.descriptor = server.descriptor;
  front.add(server.descriptor);
  return { link, state };
}

function openClients(t: Test, { port }: Scene, count: number): HttpClient[] {
  return Array.from({ length: count }, () => createHttpClient(t, { port }));
}

const ask = (clients: readonly HttpClient[]) =>
  Promise.all(clients.map(async (client) => (await client.send({ path: '/' })).text));

t.test('a new worker gets its share of kept connections, and no request is refused', async (t) => {
  const scene = await openScene(t);
  const apps = [addApp(t, scene, 'one'), addApp(t, scene, 'two')];
  const clients = openClients(t, scene, 24);
  await ask(clients);
  t.same(
    apps.map(({ link }) => link.connections),
    [12, 12],
  );
  apps.push(addApp(t, scene, 'newcomer'));
  const links = apps.map(({ link }) => link);
  scene.rebalancing.begin(1000);
  for (let look = 1; look <= 10; look += 1) {
    scene.rebalancing.look(links, 1000 + 250 * look);
    for (const answer of await ask(clients)) t.not(answer, 'nobody');
  }
  const connections = links.map((link) => link.connections);
  t.equal(
    connections.reduce((sum, count) => sum + count, 0),
    24,
  );
  t.ok(Math.min(...connections) >= 6, connections.join(', '));
  t.same(
    apps.map(({ state }) => state[shedCell]),
    [0, 0, 0],
    'nothing more is closed',
  );
  const later = openClients(t, scene, 3);
  t.same((await ask(later)).toSorted(), ['newcomer', 'one', 'two'], 'all workers get connections again');
});

t.test('workers with even shares are left alone', async (t) => {
  const scene = await openScene(t);
  const apps = [addApp(t, scene, 'one'), addApp(t, scene, 'two')];
  const clients = openClients(t, scene, 8);
  const before = await ask(clients);
  scene.rebalancing.begin(1000);
  for (let look = 1; look <= 50; look += 1) {
    scene.rebalancing.look(
      apps.map(({ link }) => link),
      1000 + 250 * look,
    );
  }
  t.same(await ask(clients), before);
});

t.test('rebalancing ends in time, although there is no busy connection to close', async (t) => {
  const scene = await openScene(t);
  const apps = [addApp(t, scene, 'one')];
  const clients = openClients(t, scene, 10);
  await ask(clients);
  apps.push(addApp(t, scene, 'newcomer'));
  const links = apps.map(({ link }) => link);
  scene.rebalancing.begin(1000);
  for (let look = 1; look <= 45; look += 1) scene.rebalancing.look(links, 1000 + 250 * look);
  t.same(
    apps.map(({ state }) => state[shedCell]),
    [0, 0],
  );
  t.same(new Set(await ask(openClients(t, scene, 2))), new Set(['one', 'newcomer']));
  t.same(
    await ask(clients),
    clients.map(() => 'one'),
  );
});

t.test('when the only worker that gets connections leaves, the others get them at once', async (t) => {
  const scene = await openScene(t);
  const one = addApp(t, scene, 'one');
  const clients = openClients(t, scene, 10);
  await ask(clients);
  const joined = addApp(t, scene, 'newcomer');
  scene.rebalancing.begin(1000);
  scene.rebalancing.look([one.link, joined.link], 1250);
  t.same(await ask(openClients(t, scene, 2)), ['newcomer', 'newcomer'], 'one rests');
  scene.rebalancing.takeOut(joined.link, [one.link]);
  t.same(await ask(openClients(t, scene, 2)), ['one', 'one']);
  t.equal(one.state[shedCell], 0, 'and the leaving worker closes none of its own');
});

t.test('a resting worker may leave too', async (t) => {
  const scene = await openScene(t);
  const one = addApp(t, scene, 'one');
  await ask(openClients(t, scene, 10));
  const newcomer = addApp(t, scene, 'newcomer');
  scene.rebalancing.begin(1000);
  scene.rebalancing.look([one.link, newcomer.link], 1250);
  scene.rebalancing.takeOut(one.link, [newcomer.link]);
  t.equal(one.link.descriptor, null);
  t.same(await ask(openClients(t, scene, 3)), ['newcomer', 'newcomer', 'newcomer']);
  scene.rebalancing.takeOut(newcomer.link, []);
  t.same(await ask(openClients(t, scene, 1)), ['nobody']);
});
