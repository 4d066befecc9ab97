import t from 'tap';
import {
  type PendingSignIn,
  PendingSignIns,
  pendingLifetimeMs,
} from '../../../src/operations/sessions/open-id/pending-sign-ins.ts';

function signInOf(state: string): PendingSignIn {
  return {
    ...{ state, nonce: 'nonce', codeVerifier: 'verifier', browserSecret: `browser of ${state}` },
    ...{ linkSecret: null, back: '/console/', limitKey: '127.0.0.1' },
  };
}

t.test('a sign-in can be finished until it is ten minutes old', async (t) => {
  const pending = new PendingSignIns();
  for (const state of ['early', 'late']) pending.add(signInOf(state), 1000);
  const lastMoment = 1000 + pendingLifetimeMs - 1;
  t.equal(pending.take('early', 'browser of early', lastMoment)?.state, 'early');
  t.equal(pending.take('late', 'browser of late', lastMoment + 1), null);
});

t.test('another browser gets nothing, and removes nothing', async (t) => {
  const pending = new PendingSignIns();
  pending.add(signInOf('one'), 0);
  t.equal(pending.take('one', null, 1), null);
  t.equal(pending.take('one', 'another browser', 1), null);
  t.equal(pending.take('one', 'browser of one', 1)?.state, 'one');
  t.equal(pending.take('one', 'browser of one', 1), null, 'once');
});

t.test('expired sign-ins are removed first, then the oldest', async (t) => {
  const pending = new PendingSignIns(3);
  for (const [index, state] of ['a', 'b', 'c', 'd'].entries()) pending.add(signInOf(state), index);
  const isThere = (state: string, now: number): boolean =>
    pending.take(state, `browser of ${state}`, now) !== null;
  t.notOk(isThere('a', 5), 'the oldest');
  t.ok(isThere('b', 5));
  pending.add(signInOf('e'), pendingLifetimeMs + 2);
  t.notOk(isThere('c', 5), 'expired, so it was removed');
  t.ok(isThere('d', 5), 'not expired, and there was a place');
});
