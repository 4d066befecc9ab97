import t, { type Test } from 'tap';
import { PasswordQueue } from '../../src/front/password-queue.ts';

interface Asked {
  readonly limitKey?: string;
  readonly account?: string;
  readonly isKnown?: boolean;
}

/** Checks that end when the test says so. */
function openQueue(t: Test, longestWaitMs = 60_000) {
  // The queue's own timers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(alive));
  const underWay: (() => void)[] = [];
  const isRight = (): Promise<boolean> =>
    new Promise((resolve) => {
      underWay.push(() => resolve(true));
    });
  const queue = new PasswordQueue({ hash: async () => '', isRight }, longestWaitMs);
  const answers: string[] = [];
  let asked = 0;
  /** By default each request has an address and an account of its own. */
  const check = async (
    { limitKey, account, isKnown = false }: Asked = {},
    name = '',
  ): Promise<boolean | 'busy'> => {
    asked += 1;
    const caller = {
      limitKey: limitKey ?? `192.0.2.${asked}`,
      account: account ?? `account ${asked}`,
      isKnown,
    };
    const checked = await queue.check(caller, ['a hash'], 'a password');
    const answer = checked === 'busy' ? 'busy' : checked[0] === true;
    if (name !== '') answers.push(`${name} ${answer}`);
    return answer;
  };
  /** Ends a check. The next one begins in a microtask after it. */
  const finishOne = async (): Promise<void> => {
    underWay.shift()?.();
    await new Promise(setImmediate);
  };
  const finishAll = async (): Promise<void> => {
    while (underWay.length > 0) await finishOne();
  };
  return { check, answers, underWay, finishOne, finishAll };
}

t.test('two are checked at once; one that waited for too long is busy, and never checked', async (t) => {
  const { check, underWay, finishOne, finishAll } = openQueue(t, 20);
  const held = [check(), check()];
  t.equal(await check(), 'busy');
  t.equal(underWay.length, 2);
  const later = check();
  await finishOne();
  t.equal(await held[0], true);
  t.equal(underWay.length, 2, 'one that still waits is next');
  await new Promise((resolve) => setTimeout(resolve, 30));
  await finishAll();
  t.equal(await later, true, 'it began in time, and may take longer');
});

t.test(
  'one address and one account have a quarter of what waits; beyond all of it a request is busy',
  async (t) => {
    for (const same of [
      { limitKey: '198.51.100.1' },
      { account: 'ada@example.com' },
      { limitKey: '20010db800010001/64' },
    ]) {
      const { check, finishAll } = openQueue(t);
      const held = [check(), check()];
      const answers = Promise.all(Array.from({ length: 10 }, () => check(same)));
      const others = Promise.all(Array.from({ length: 25 }, () => check()));
      await finishAll();
      const busy = (await answers).filter((answer) => answer === 'busy').length;
      t.equal(busy, 2, JSON.stringify(same));
      t.equal((await others).filter((answer) => answer === 'busy').length, 1, '24 others wait beside them');
      await Promise.all(held);
    }
  },
);

t.test(
  'no attack from anywhere keeps out an address with a session: the lanes are served in turns',
  async (t) => {
    const { check, answers, finishOne, finishAll } = openQueue(t);
    const attack = Array.from({ length: 200 }, () => check({ account: 'owner@example.com' }, 'attacker'));
    const strangers = Array.from({ length: 200 }, () => check({}, 'stranger'));
    await new Promise(setImmediate);
    const owner = check({ limitKey: '198.51.100.1', account: 'owner@example.com', isKnown: true }, 'owner');
    answers.length = 0;
    // Two are under way, and at most one of the others is served before.
    for (let count = 0; count < 4; count += 1) await finishOne();
    t.equal(await owner, true);
    t.ok(answers.includes('owner true'), answers.join(', '));
    await finishAll();
    await Promise.all([...attack, ...strangers]);
  },
);
