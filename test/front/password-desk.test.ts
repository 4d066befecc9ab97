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
  const check = (address = '192.0.2.1') => desk.check(address, 'a hash', 'a password');
  return { check, underWay };
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

t.test(
  'strangers at any number of addresses keep out no address from which a right password came',
  async (t) => {
    const { check, underWay } = openDesk(t, 60_000);
    const end = (): void => underWay.shift()?.();
    const first = check('198.51.100.1');
    end();
    t.equal(await first, true);
    const answers: string[] = [];
    const attempt = async (address: string): Promise<void> => {
      const answer = await check(address);
      answers.push(`${address} ${answer}`);
    };
    // Two are under way and 32 wait; one more has no place.
    const strangers = Array.from({ length: 35 }, (_, index) => attempt(`192.0.2.${index}`));
    await strangers[34];
    t.strictSame(answers, ['192.0.2.34 busy']);
    const members = [attempt('198.51.100.1'), attempt('198.51.100.1')];
    await Promise.all(strangers.slice(32, 34));
    t.strictSame(answers.slice(1).sort(), ['192.0.2.32 busy', '192.0.2.33 busy'], 'the last two strangers');
    for (let turn = 0; turn < 6; turn += 1) {
      end();
      // The next turn begins in a microtask after the end of this one.
      await new Promise(setImmediate);
    }
    await Promise.all(members);
    const own = answers.filter((answer) => answer === '198.51.100.1 true').length;
    t.equal(own, 2, 'it waits for a few of the strangers only');
    while (underWay.length > 0) {
      end();
      await new Promise(setImmediate);
    }
    await Promise.all(strangers);
  },
);

t.test('those who know a password keep out neither strangers nor one another', async (t) => {
  const { check, underWay } = openDesk(t, 60_000);
  const turn = async (): Promise<void> => {
    underWay.shift()?.();
    // The next turn begins in a microtask after the end of this one.
    await new Promise(setImmediate);
  };
  const signIn = async (address: string): Promise<void> => {
    const answer = check(address);
    await turn();
    t.equal(await answer, true);
  };
  const quiet = '198.51.100.1';
  const hostile = Array.from({ length: 40 }, (_, index) => `203.0.113.${index}`);
  for (const address of [quiet, ...hostile]) await signIn(address);
  const attacks = hostile.map((address) => check(address));
  const outcomes = Promise.all([check('192.0.2.1'), check(quiet)]);
  while (underWay.length > 0) await turn();
  t.strictSame(await outcomes, [true, true]);
  await Promise.all(attacks);
});
