import t, { type Test } from 'tap';
import { PasswordDesk } from '../../src/front/password-desk.ts';

/** Checks that end when the test says so. */
function openDesk(t: Test, longestWaitMs: number) {
  // The desk's own timers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(alive));
  const underWay: (() => void)[] = [];
  const isRight = (): Promise<boolean> =>
    new Promise((resolve) => {
      underWay.push(() => resolve(true));
    });
  const desk = new PasswordDesk({ hash: async () => '', isRight }, longestWaitMs);
  return { check: () => desk.check('192.0.2.1', 'a hash', 'a password'), underWay };
}

t.test('an attempt that waited too long for its turn is told so, and takes no turn', async (t) => {
  const { check, underWay } = openDesk(t, 20);
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
  const { check, underWay } = openDesk(t, 20);
  const held = [check(), check()];
  const waiting = check();
  underWay.shift()?.();
  await held[0];
  t.equal(await check(), 'busy', 'meanwhile the longest wait has passed');
  for (const end of underWay) end();
  t.equal(await waiting, true);
});
