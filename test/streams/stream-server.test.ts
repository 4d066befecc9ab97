import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { flagdEvents } from '../../src/flagd/flagd-events.ts';
import type { Encoding } from '../../src/streams/environment.ts';
import { ofrepEvents } from '../../src/streams/ofrep-events.ts';
import { syncEvents } from '../../src/streams/sync-events.ts';
import { changesOf, eventsOf, openStage, production, staging, type TestOutlet } from './stream-stage.ts';

t.setTimeout(60_000);

/** The protocols on an environment, and how many events a client was sent. The fourth, of the console, needs a session. */
const encodings: readonly (readonly [encoding: Encoding, eventsIn: (outlet: TestOutlet) => number])[] = [
  [syncEvents, (outlet) => changesOf(outlet).length],
  [ofrepEvents, (outlet) => changesOf(outlet).length],
  [flagdEvents(() => undefined), ({ text }) => text.split('{"flags":').length - 1],
];

for (const [encoding, eventsIn] of encodings) {
  const { kind } = encoding;

  t.test(
    `${kind}: a client gets the state, and an event for a change of its environment alone`,
    async (t) => {
      const { open, change } = openStage(t);
      const outlet = open(encoding);
      await outlet.until(() => eventsIn(outlet) === 1);
      change(0, staging, { enabled: true });
      change(0, production, { enabled: true });
      await outlet.until(() => eventsIn(outlet) === 2);
      const other = open(encoding);
      await other.until(() => eventsIn(other) === 1);
      t.equal(eventsIn(outlet), 2, 'the change of the other environment was not sent');
    },
  );

  t.test(`${kind}: a client that does not read gets one event for all that it missed`, async (t) => {
    const { open, change } = openStage(t);
    const outlet = open(encoding, { isStalled: true });
    const quick = open(encoding);
    await Promise.all([outlet.until(() => eventsIn(outlet) === 1), quick.until(() => eventsIn(quick) === 1)]);
    for (let percentage = 1; percentage <= 5; percentage += 1) {
      change(0, production, { enabled: true, trafficPercentage: percentage });
      if (percentage === 1) await quick.until(() => eventsIn(quick) === 2);
    }
    const last = open(encoding);
    await last.until(() => eventsIn(last) === 1);
    t.equal(eventsIn(outlet), 1, 'nothing is written while it does not read');
    outlet.goOn();
    await outlet.until(() => eventsIn(outlet) === 2);
    change(0, production, { trafficPercentage: 50 });
    await outlet.until(() => eventsIn(outlet) === 3);
    t.equal(outlet.ended, null);
  });

  t.test(`${kind}: streams end with their environment, and when the service stops`, async (t) => {
    const { open, changeProject, server } = openStage(t);
    const outlet = open(encoding);
    await outlet.until(() => eventsIn(outlet) === 1);
    const environments = [{ number: production, name: 'renamed', isProtected: false }];
    changeProject({ environments });
    t.equal(await outlet.endReason(), 'environment');
    const stage = openStage(t);
    const [idle, busy] = [stage.open(encoding), stage.open(encoding, { isStalled: true })];
    await Promise.all([idle, busy].map((one) => one.until(() => eventsIn(one) === 1)));
    stage.server.close();
    t.match(
      [idle.ended, busy.ended],
      [
        { reason: 'drain', isCut: false },
        { reason: 'drain', isCut: true },
      ],
    );
    const late = stage.open(encoding);
    t.equal(await late.endReason(), 'drain', 'and so do those that come too late');
    t.equal(server.census().length, 0);
  });

  t.test(`${kind}: a node that is cut off from its cluster ends its streams`, async (t) => {
    const { open, detach } = openStage(t);
    const outlet = open(encoding);
    await outlet.until(() => eventsIn(outlet) === 1);
    detach();
    t.equal(await outlet.endReason(), 'detached');
  });
}

for (const [encoding, eventsIn] of encodings.filter(([{ kind }]) => kind !== 'ofrep')) {
  t.test(`${encoding.kind}: a stream ends within a second when its token is revoked`, async (t) => {
    const { open, revokeToken, ended } = openStage(t);
    const outlet = open(encoding);
    await outlet.until(() => eventsIn(outlet) === 1);
    const revokedAt = performance.now();
    revokeToken();
    t.equal(await outlet.endReason(), 'token');
    t.ok(performance.now() - revokedAt < 5000);
    t.same(ended, ['token']);
  });
}

t.test(
  'OFREP: a stream ends when the Evaluation API is switched off, and has an event a second at most',
  async (t) => {
    const { open, change, changeProject } = openStage(t);
    const outlet = open(ofrepEvents);
    await outlet.until(() => changesOf(outlet).length === 1);
    const startedAt = performance.now();
    for (let percentage = 1; percentage <= 20; percentage += 1) {
      change(0, production, { trafficPercentage: percentage });
      await setTimeout(25);
    }
    await outlet.until(() => changesOf(outlet).length === 2);
    t.ok(performance.now() - startedAt >= 990);
    changeProject({ evaluationAccess: false });
    t.equal(await outlet.endReason(), 'environment');
  },
);

t.test('flagd: a change that leaves the configuration as it was is not sent', async (t) => {
  const { open, change, changeAudience, audiences } = openStage(t);
  const [encoding, eventsIn] = encodings[2] as (typeof encodings)[number];
  const outlet = open(encoding);
  await outlet.until(() => eventsIn(outlet) === 1);
  changeAudience(audiences[0] as (typeof audiences)[number], ['other']);
  const fresh = open(encoding);
  await fresh.until(() => eventsIn(fresh) === 1);
  change(0, production, { enabled: false });
  await outlet.until(() => eventsIn(outlet) === 2);
  t.pass('the second event is that of the flag');
});

t.test('sync: a stream resumes where it ended, with what changed since', async (t) => {
  const { open, change, flagId } = openStage(t, { flags: 3 });
  const first = open(syncEvents);
  await first.until(() => eventsOf(first).length === 1);
  const { id: lastEventId } = eventsOf(first)[0] as { id: string };
  first.leave();
  const same = open(syncEvents, { lastEventId });
  await same.until(() => eventsOf(same).length === 1);
  t.match(eventsOf(same), [{ event: 'beat', id: lastEventId }], 'nothing has changed');
  same.leave();
  change(0, staging, { enabled: true });
  const elsewhere = open(syncEvents, { lastEventId });
  await elsewhere.until(() => eventsOf(elsewhere).length === 1);
  const numberOf = (id = ''): number => Number(id.split('.')[1]);
  t.equal(eventsOf(elsewhere)[0]?.event, 'beat');
  t.equal(numberOf(eventsOf(elsewhere)[0]?.id), numberOf(lastEventId) + 1, 'up to the last change of all');
  elsewhere.leave();
  change(1, production, { enabled: true });
  // Nobody follows the environment: what was missed is in the change log alone.
  const missed = open(syncEvents, { lastEventId });
  await missed.until(() => eventsOf(missed).length === 1);
  const [delta] = eventsOf(missed);
  t.equal(delta?.event, 'delta');
  t.ok(delta?.data.flags.some(({ id }: { id: string }) => id === flagId(1)));
  t.notOk(delta?.data.flags.some(({ id }: { id: string }) => id === flagId(2)));
  const [history] = lastEventId.split('.');
  for (const unknown of [`${history}.999999`, `${'x'.repeat(20)}.1`]) {
    const stream = open(syncEvents, { lastEventId: unknown });
    await stream.until(() => eventsOf(stream).length === 1);
    t.equal(eventsOf(stream)[0]?.event, 'snapshot', unknown);
  }
});

t.test('sync: a delta has the audiences that flags apply, and removes those that none applies', async (t) => {
  const { open, change, changeAudience, audiences } = openStage(t, { flags: 2 });
  const [one, other] = audiences as [(typeof audiences)[0], (typeof audiences)[0]];
  change(0, production, { audienceId: one.id });
  change(1, production, { audienceId: one.id });
  const outlet = open(syncEvents);
  const next = async (count: number) => {
    await outlet.until(() => changesOf(outlet).length === count);
    const { audiences: shown, removedAudiences } = changesOf(outlet).at(-1)?.data ?? {};
    return [shown.map(({ id }: { id: string }) => id), removedAudiences];
  };
  await next(1);
  change(0, production, { audienceId: other.id });
  t.same(await next(2), [[other.id], []], 'a flag still applies the first one');
  changeAudience(one, ['new']);
  t.same(await next(3), [[one.id], []]);
  change(1, production, { audienceId: null });
  t.same(await next(4), [[], [one.id]]);
  changeAudience(other, ['new']);
  t.same(await next(5), [[other.id], []]);
});

t.test('a client that stalls in a long event holds up no other one, and is cut off', async (t) => {
  const stalls: Encoding = { ...syncEvents, stallMs: 500 };
  const { open, change } = openStage(t, { flags: 2000 });
  const [slow, quick] = [open(stalls, { isStalled: true }), open(stalls)];
  await Promise.all([
    slow.until(({ writes }) => writes === 1),
    quick.until(() => changesOf(quick).length === 1),
  ]);
  t.equal(slow.text.length, slow.chunkBytes, 'one chunk is all that is held for it');
  change(0, production, { enabled: true });
  await quick.until(() => changesOf(quick).length === 2);
  t.equal(changesOf(quick)[1]?.event, 'delta');
  t.equal(await slow.endReason(), 'slow');
  t.equal(slow.ended?.isCut, true);
});

t.test('events above the memory for them are made again, and the slowest client pays for them', async (t) => {
  const { open, change, flagId } = openStage(t, { flags: 2000, memoryMax: 400_000 });
  const slow = open(syncEvents, { isStalled: true });
  await slow.until(({ writes }) => writes === 1);
  // A second snapshot, of a later state, is more than the budget.
  change(0, production, { enabled: true });
  const quick = open(syncEvents);
  const events = () => changesOf(quick);
  await quick.until(() => events().length === 1);
  t.equal(await slow.endReason(), 'slow');
  change(1, production, { enabled: true });
  await quick.until(() => events().length === 2);
  t.ok(events()[1]?.data.flags.some(({ id }: { id: string }) => id === flagId(1)));
});

t.test('programs are counted by what they have', async (t) => {
  const { open, change, server } = openStage(t);
  const [quick, slow] = [open(syncEvents), open(syncEvents, { isStalled: true })];
  await Promise.all([quick, slow].map((one) => one.until(() => changesOf(one).length === 1)));
  t.match(server.census(), [
    { kind: 'sync', environment: 'production', starting: 0, versions: [[Number, 2]] },
  ]);
  change(0, production, { enabled: true });
  await quick.until(() => changesOf(quick).length === 2);
  await setTimeout(20);
  const [census] = server.census();
  t.equal(census?.versions.length, 2);
  t.ok((census?.lagMs ?? 0) >= 15, 'the slow client lacks the change');
  slow.goOn();
  await slow.until(() => changesOf(slow).length === 2);
  quick.leave();
  slow.leave();
  t.same(server.census(), []);
});
