import t, { type Test } from 'tap';
import { PasswordDesk } from '../../src/front/password-desk.ts';

/** Checks that end when the test says so. */
function openDesk(t: Test, waits: { longestMs: number; refusalMs: number }) {
  // The desk's own timers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(alive));
  const underWay: (() => void)[] = [];
  const isRight = (): Promise<boolean> =>
    new Promise((resolve) => {
      underWay.push(() => resolve(true));
    });
  const desk = new PasswordDesk({ hash: async () => '', isRight }, waits);
  return { check: () => desk.check('192.0.2.1', 'a hash', 'a password'), underWay };
}

t.test('an attempt that waited too long for its turn is told so, and takes no turn', async (t) => {
  const { check, underWay } = openDesk(t, { longestMs: 20, refusalMs: 0 });
  const held = [check(), check()];
  t.equal(await check(), 'busy');
  t.equal(underWay.length, 2, 'its password is not checked');

  const later = check();
  underWay.shift()?.();
  t.equal(await held[0], true);
  t.equal(underWay.length, 2, 'the place goes to one that still waits');
  for (const end of underWay) end();
  t.strictSame(await Promise.all([...held, later]), [true, true, true]);
});

t.test('one that got its turn in time may take longer', async (t) => {
  const { check, underWay } = openDesk(t, { longestMs: 20, refusalMs: 0 });
  const held = [check(), check()];
  const waiting = check();
  underWay.shift()?.();
  await held[0];
  t.equal(await check(), 'busy', 'meanwhile the longest wait has passed');
  for (const end of underWay) end();
  t.equal(await waiting, true);
});

t.test('a refusal is not told at once, so that a client which asks without pause costs little', async (t) => {
  const refusalMs = 300;
  const { check, underWay } = openDesk(t, { longestMs: 60_000, refusalMs });
  const since = performance.now();
  const refusedAfterMs: number[] = [];
  const checks = Array.from({ length: 60 }, async () => {
    const answer = await check();
    if (answer === 'busy') refusedAfterMs.push(performance.now() - since);
    else underWay.shift()?.();
    return answer;
  });
  // Two are under way and 32 wait: the others are refused.
  await Promise.race([...checks]);
  t.ok(refusedAfterMs.length > 0 && Math.min(...refusedAfterMs) >= refusalMs - 2, `${refusedAfterMs[0]} ms`);
  underWay.shift()?.();
  underWay.shift()?.();
  t.equal((await Promise.all(checks)).filter((answer) => answer === 'busy').length, 26);
});
