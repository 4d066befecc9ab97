import t, { type Test } from 'tap';
import { PasswordDesk } from '../../src/front/password-desk.ts';
import { accountOfLinks } from '../../src/operations/conversation.ts';

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
  const check = (address = '192.0.2.1', accountId = 'account') =>
    desk.check(address, { passwordHash: 'a hash', accountId }, 'a password');
  /** Ends a check. The next one begins in a microtask after it. */
  const turn = async (): Promise<void> => {
    underWay.shift()?.();
    await new Promise(setImmediate);
  };
  const signIn = async (address: string, accountId: string): Promise<void> => {
    const answer = check(address, accountId);
    await turn();
    t.equal(await answer, true);
  };
  return { check, desk, underWay, turn, signIn };
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
    const { check, underWay, turn, signIn } = openDesk(t, 60_000);
    await signIn('198.51.100.1', 'account');
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
    for (let count = 0; count < 6; count += 1) await turn();
    await Promise.all(members);
    const own = answers.filter((answer) => answer === '198.51.100.1 true').length;
    t.equal(own, 2, 'it waits for a few of the strangers only');
    while (underWay.length > 0) await turn();
    await Promise.all(strangers);
  },
);

t.test('members of one account keep out neither strangers nor another account', async (t) => {
  const { check, underWay, turn, signIn } = openDesk(t, 60_000);
  const quiet = '198.51.100.1';
  const hostile = Array.from({ length: 40 }, (_, index) => `203.0.113.${index}`);
  for (const address of hostile) await signIn(address, 'hostile');
  // The one that was seen last has its turns none the less.
  await signIn(quiet, 'quiet');
  const attacks = hostile.map((address) => check(address, 'hostile'));
  const outcomes = Promise.all([check('192.0.2.1'), check(quiet, 'quiet'), check(quiet, 'quiet')]);
  // Two are under way; then each of the three lines has its turns.
  for (let count = 0; count < 2 + 3 * 2; count += 1) await turn();
  t.strictSame(await outcomes, [true, true, true]);
  while (underWay.length > 0) await turn();
  const answers = await Promise.all(attacks);
  t.equal(
    answers.filter((answer) => answer === 'busy').length,
    40 - 2 - 32 + 3,
    'they have the other places',
  );
});

t.test('two accounts do not take one place from one another in turns', async (t) => {
  const { check, underWay, turn, signIn } = openDesk(t, 60_000);
  for (const account of ['left', 'right']) await signIn(account, account);
  // The first two are under way, and 16 of each wait.
  const held = Array.from({ length: 34 }, (_, index) => {
    const account = index % 2 === 0 ? 'left' : 'right';
    return check(account, account);
  });
  t.strictSame(await Promise.all([check('left', 'left'), check('right', 'right')]), ['busy', 'busy']);
  while (underWay.length > 0) await turn();
  t.ok((await Promise.all(held)).every((answer) => answer === true));
});

t.test(
  'an organisation that signs in at many addresses turns no other’s members into strangers',
  async (t) => {
    const { check, underWay, turn, signIn } = openDesk(t, 60_000);
    await signIn('198.51.100.1', 'quiet');
    for (let index = 0; index < 5000; index += 1) {
      await signIn(`10.0.${index >> 8}.${index & 255}`, 'hostile');
    }
    const strangers = Array.from({ length: 34 }, (_, index) => check(`192.0.2.${index}`));
    const member = check('198.51.100.1', 'quiet');
    for (let count = 0; count < 4; count += 1) await turn();
    t.equal(await member, true, 'it has its turn before the strangers have had theirs');
    while (underWay.length > 0) await turn();
    await Promise.all(strangers);
  },
);

t.test(
  'a link that is followed at an address leaves it to the organisation that it is known for',
  async (t) => {
    const { check, desk, underWay, turn, signIn } = openDesk(t, 60_000);
    await signIn('198.51.100.1', 'quiet');
    await desk.hash('198.51.100.1', accountOfLinks, 'a password');
    await desk.hash('203.0.113.1', accountOfLinks, 'a password');
    const links = Array.from({ length: 34 }, () => check('203.0.113.1'));
    const member = check('198.51.100.1', 'quiet');
    for (let count = 0; count < 4; count += 1) await turn();
    t.equal(await member, true, 'it does not wait with the links');
    while (underWay.length > 0) await turn();
    await Promise.all(links);
  },
);
