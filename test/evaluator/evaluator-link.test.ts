import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { EvaluatorClient } from '../../src/evaluator/evaluator-client.ts';
import { EvaluatorLink } from '../../src/evaluator/evaluator-link.ts';
import { createMailboxMemory, doneCell, openMailbox, payloadBytesMax } from '../../src/evaluator/mailbox.ts';
import type { EvaluationReceiver } from '../../src/evaluator/receiver-protocol.ts';
import { SlotRing } from '../../src/evaluator/slot-ring.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import { withFreshTurn } from '../../src/support/turn-clock.ts';

/** These links have no evaluator behind them: what becomes of requests that nobody answers. */
const deadlineMs = 1000;

interface Witness extends EvaluationReceiver {
  readonly refusals: string[];
}

function witness(): Witness {
  const refusals: string[] = [];
  return {
    refusals,
    receiveEvaluation: () => refusals.push('an evaluation'),
    receiveUnavailable: (detail) => refusals.push(detail),
    receiveFailure: () => refusals.push('a failure'),
  };
}

function openLink(t: Test, slots: number): EvaluatorLink {
  const { port1, port2 } = new MessageChannel();
  const link = new EvaluatorLink(createMailboxMemory(slots), port1, deadlineMs, {
    onReady: () => undefined,
    onCounted: () => undefined,
  });
  t.teardown(() => {
    port1.close();
    port2.close();
  });
  return link;
}

const id = '0123456789ABCDEFGHIJ';

t.test('a full ring takes nothing more', async (t) => {
  const link = openLink(t, 4);
  for (let slot = 0; slot < 4; slot += 1) t.equal(link.evaluate(witness(), id, 'a=b'), 'sent');
  t.equal(link.evaluate(witness(), id, 'a=b'), 'full');
  t.equal(link.inFlight, 4);
});

t.test('what is not ASCII is not taken', async (t) => {
  const link = openLink(t, 4);
  for (const query of ['cohort=é', 'cohort=\u007f', 'x=€', `long=${'y'.repeat(payloadBytesMax)}é`]) {
    t.equal(link.evaluate(witness(), id, query), 'not-ascii', query.slice(0, 20));
  }
  t.equal(link.evaluate(witness(), 'ü', ''), 'not-ascii');
  t.equal(link.inFlight, 0);
});

t.test('a request that is not answered is refused once, at its deadline and not before', async (t) => {
  const link = openLink(t, 4);
  const inSlot = witness();
  const byPort = witness();
  const startedAt = monotonicMs();
  // Deadlines are counted from the clock's reading of the turn, which may be older than the test.
  withFreshTurn(() => {
    link.evaluate(inSlot, id, 'a=b');
    link.evaluate(byPort, id, `a=${'b'.repeat(payloadBytesMax)}`);
  });
  link.expire(startedAt + deadlineMs - 1);
  t.same([inSlot.refusals, byPort.refusals], [[], []]);
  for (const late of [50, 100]) link.expire(monotonicMs() + deadlineMs + late);
  t.equal(inSlot.refusals.length, 1);
  t.equal(byPort.refusals.length, 1);
  t.match(inSlot.refusals[0], /within its deadline/);
});

t.test('a request that is not taken leaves the next one its whole deadline', async (t) => {
  const link = openLink(t, 4);
  t.equal(link.evaluate(witness(), id, 'cohort=é'), 'not-ascii');
  const later = monotonicMs() + 20;
  while (monotonicMs() < later) await new Promise((resolve) => setImmediate(resolve));
  const startedAt = monotonicMs();
  const receiver = witness();
  link.evaluate(receiver, id, 'a=b');
  link.expire(startedAt + deadlineMs - 1);
  t.same(receiver.refusals, []);
});

t.test('an answer that did not fit its slot goes to the request that it is for, or to nobody', async (t) => {
  const mailbox = openMailbox(createMailboxMemory(2));
  const ring = new SlotRing(mailbox);
  const finish = (count: number): void => {
    Atomics.store(mailbox.control, doneCell, count);
    ring.drainAndAsk();
  };
  const [early, late, next] = [witness(), witness(), witness()];
  ring.fillEvaluation(early, id, '', 1000);
  ring.publish();
  ring.receiveOversized(0, 400, new Uint8Array(2000));
  t.same(early.refusals, ['an evaluation'], 'before its slot is drained');
  finish(1);
  ring.fillEvaluation(late, id, '', 1000);
  ring.publish();
  mailbox.words.fill(0);
  finish(2);
  t.same(late.refusals, []);
  ring.receiveOversized(1, 400, new Uint8Array(2000));
  t.same(late.refusals, ['an evaluation'], 'after it');
  ring.fillEvaluation(next, id, '', 1000);
  ring.publish();
  ring.receiveOversized(0, 400, new Uint8Array(2000));
  t.same(next.refusals, [], 'a message that comes too late is not given to whoever has the slot now');
});

t.test(
  'when the evaluator dies, everything that waits for it is refused, and nothing is taken',
  async (t) => {
    const link = openLink(t, 8);
    const waiting = [witness(), witness(), witness()];
    for (const receiver of waiting.slice(0, 2)) link.evaluate(receiver, id, 'a=b');
    link.evaluate(waiting[2] as Witness, id, `a=${'b'.repeat(payloadBytesMax)}`);
    link.fail('gone');
    t.same(
      waiting.map(({ refusals }) => refusals),
      [['gone'], ['gone'], ['gone']],
    );
    t.equal(link.inFlight, 0);
    t.equal(link.evaluate(witness(), id, 'a=b'), 'full');
  },
);

t.test('an evaluator that has work and stands still is stuck; an idle one is not', async (t) => {
  const link = openLink(t, 4);
  const now = monotonicMs();
  link.isStuck(now, 100);
  t.notOk(link.isStuck(now + 1000, 100), 'idle');
  link.evaluate(witness(), id, 'a=b');
  t.notOk(link.isStuck(now + 1050, 100));
  t.ok(link.isStuck(now + 1200, 100));
});

t.test('all evaluators together take no more than the limit, the least busy first', async (t) => {
  const client = new EvaluatorClient(5);
  t.notOk(client.isServing);
  t.equal(client.evaluate(witness(), id, ''), 'full', 'no evaluator serves');
  const links = [openLink(t, 8), openLink(t, 8)];
  for (const link of links) client.add(link);
  for (let request = 0; request < 5; request += 1) t.equal(client.evaluate(witness(), id, ''), 'sent');
  t.equal(client.evaluate(witness(), id, ''), 'full');
  t.same(
    links.map((link) => link.inFlight),
    [3, 2],
  );
});
