import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { HostDesk } from '../../src/front/host-desk.ts';
import { SyncDesk } from '../../src/front/sync-desk.ts';
import { WorkerLink } from '../../src/front/worker-link.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import {
  watchersMax,
  watchersOfMemberMax,
  watchersOfSessionMax,
} from '../../src/operations/watching/watch-places.ts';
import { hashPassword, isPasswordOf } from '../../src/support/password-hash.ts';
import { evaluationMetrics } from '../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { HostClient } from '../../src/worker/host-client.ts';
import { requestMetrics } from '../../src/worker/request-metrics-protocol.ts';
import { stateCells } from '../../src/worker/worker-protocol.ts';
import { eventually } from '../support/expectations.ts';

/* Both ends of a worker's port, and the desk behind it, through which workers use what the process has only once. */

interface Connected {
  readonly link: WorkerLink;
  readonly host: HostClient;
  readonly reasons: string[];
}

function openDesk(): HostDesk {
  const hashing = { hash: hashPassword, isRight: isPasswordOf };
  const others = { sync: new SyncDesk(), hashing, onReported: () => undefined };
  return new HostDesk({ openId: null, cluster: null, ...others });
}

function connect(t: Test, desk: HostDesk): Connected {
  const { port1, port2 } = new MessageChannel();
  const memory = {
    state: new SharedArrayBuffer(stateCells * Int32Array.BYTES_PER_ELEMENT),
    requestMetrics: createMetricMemory(requestMetrics),
    evaluationMetrics: createMetricMemory(evaluationMetrics),
  };
  const reasons: string[] = [];
  const link = new WorkerLink(memory, port1, desk, {
    onReady: () => undefined,
    onLeaving: async (reason, mayWait) => {
      reasons.push(`${reason}, ${mayWait}`);
    },
    onMessage: () => undefined,
  });
  const host = new HostClient(port2, () => undefined);
  host.tell({ kind: 'ready', descriptor: 0 });
  t.teardown(() => {
    link.close();
    host.close();
  });
  return { link, host, reasons };
}

const viewerOf = (session: string, memberId = 'ada') => ({
  sessionSecret: session,
  memberId,
  organisationId: null,
});

t.test('pages that watch changes are limited over all workers', async (t) => {
  const desk = openDesk();
  const workers = [connect(t, desk), connect(t, desk)];
  const join = (index: number, session: string) =>
    (workers[index % 2] as Connected).host.watchPlaces.join(viewerOf(session));
  const places: (number | string)[] = [];
  for (let page = 0; page < watchersOfSessionMax; page += 1) places.push(await join(page, 'one'));
  t.ok(places.every((place) => typeof place === 'number'));
  t.equal(new Set(places).size, watchersOfSessionMax, 'each page has a place of its own');
  t.match(await join(0, 'one'), /of this browser are in view/);
  t.match(await join(1, 'one'), /of this browser are in view/);
  for (let page = watchersOfSessionMax; page < watchersOfMemberMax; page += 1) {
    t.type(await join(page, `session ${page}`), 'number');
  }
  t.match(await join(0, 'yet another'), /You have too many live pages/);
  workers[0]?.host.watchPlaces.leave(places[0] as number);
  t.type(await join(1, 'yet another'), 'number', 'a freed place is available to any worker');
});

t.test('however many pages some organisations watch, another one finds a place', async (t) => {
  const { host } = connect(t, openDesk());
  const joinAll = async (organisationId: string): Promise<number> => {
    for (let joined = 0; ; joined += 1) {
      const person = `${organisationId} ${Math.floor(joined / watchersOfSessionMax)}`;
      const place = await host.watchPlaces.join({ sessionSecret: person, memberId: person, organisationId });
      if (typeof place === 'number') continue;
      t.match(place, /in your organisation/);
      return joined;
    }
  };
  t.equal(await joinAll('first'), watchersMax / 2, 'one that is alone gets half');
  for (const organisation of ['second', 'third', 'fourth', 'fifth']) {
    t.ok((await joinAll(organisation)) > 0, organisation);
  }
});

t.test('the places of a worker that has ended are free', async (t) => {
  const desk = openDesk();
  const [gone, other] = [connect(t, desk), connect(t, desk)];
  for (let page = 0; page < watchersOfSessionMax - 1; page += 1)
    await gone.host.watchPlaces.join(viewerOf('one'));
  const kept = await other.host.watchPlaces.join(viewerOf('one'));
  t.match(await other.host.watchPlaces.join(viewerOf('one')), /Too many pages of this browser/);
  gone.link.close();
  for (let page = 0; page < watchersOfSessionMax - 1; page += 1) {
    t.type(await other.host.watchPlaces.join(viewerOf('one')), 'number');
  }
  t.match(
    await other.host.watchPlaces.join(viewerOf('one')),
    /Too many pages of this browser/,
    'the places of other workers are not',
  );
  other.host.watchPlaces.leave(kept as number);
  await eventually(
    async () => typeof (await other.host.watchPlaces.join(viewerOf('one'))) === 'number',
    5000,
    'a place is still free',
  );
});

t.test('passwords of all workers are checked and hashed', async (t) => {
  const desk = openDesk();
  const [one, other] = [connect(t, desk).host.passwords, connect(t, desk).host.passwords];
  const caller = { limitKey: '192.0.2.1', account: 'ada@example.com', isKnown: false };
  const hash = await one.hash(caller, 'a password that is long');
  t.strictSame(await other.check(caller, [hash, null], 'a password that is long'), [true, false]);
  t.strictSame(await other.check(caller, [hash], 'another'), [false]);
});

t.test('a failure in the desk is an error of only that call', async (t) => {
  const { host } = connect(t, openDesk());
  const proof = { state: 'a state', nonce: 'a nonce', codeVerifier: 'a verifier' };
  const beginning = host.openId.begin(proof, 'request');
  const place = host.watchPlaces.join(viewerOf('one'));
  await t.rejects(beginning, /no OpenID provider is configured/);
  t.type(await place, 'number', 'a call of the same message');
});

t.test('a worker may leave when the fleet permits it', async (t) => {
  const { host, reasons } = connect(t, openDesk());
  t.equal(await host.ask('leave', ['its heap is nearly full', true]), null);
  t.same(reasons, ['its heap is nearly full, true']);
});
