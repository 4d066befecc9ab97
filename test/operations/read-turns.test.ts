import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { addressTenant, ReadTurns } from '../../src/operations/read-turns.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';

function work(ms: number): void {
  for (const until = monotonicMs() + ms; monotonicMs() < until; );
}

/** Asks for reads of a few milliseconds, and notes whose was made. */
function asker(turns: ReadTurns, made: string[]) {
  return (accountId: string, ms = 3) =>
    turns.make({
      run: () => {
        work(ms);
        made.push(accountId);
      },
      tenant: () => ({ projectId: `project of ${accountId}`, accountId }),
      stranger: () => addressTenant('192.0.2.1'),
      refuseLate: () => made.push(`${accountId}: too late`),
    });
}

t.test('reads beyond a millisecond wait, one by one between turns of the event loop', async (t) => {
  const made: string[] = [];
  const ask = asker(new ReadTurns(60_000), made);
  t.equal(ask('first'), undefined, 'the first is made at once');
  const crowd = Array.from({ length: 30 }, () => ask('first'));
  const other = ask('other');
  t.strictSame(made, ['first'], 'the others wait');
  let longest = 0;
  let turns = 0;
  for (let before = made.length; made.length < 32; before = made.length) {
    await setImmediate();
    longest = Math.max(longest, made.length - before);
    turns += 1;
  }
  await Promise.all([...crowd, other]);
  t.ok(turns >= 30, `${turns} turns of the event loop`);
  t.equal(longest, 1, 'one of three milliseconds in a turn');
  t.ok(made.indexOf('other') <= 2, 'another organisation has its turn after the first that waits');
});

t.test('short reads of one turn are made together', async (t) => {
  const made: string[] = [];
  const ask = asker(new ReadTurns(60_000), made);
  for (let count = 0; count < 3; count += 1) t.equal(ask('first', 0), undefined);
  t.equal(made.length, 3);
});

t.test('what waits for longer than its deadline is refused, and what throws is told', async (t) => {
  const made: string[] = [];
  const turns = new ReadTurns(20);
  const ask = asker(turns, made);
  t.equal(ask('first', 30), undefined);
  const waits = [ask('first', 30), ask('first', 30)];
  await Promise.all(waits);
  t.strictSame(made, ['first', 'first', 'first: too late']);
  t.equal(ask('first', 3), undefined);
  const failing = turns.make({
    run: () => {
      throw new Error('cannot be read');
    },
    tenant: () => ({ projectId: 'project', accountId: null }),
    stranger: () => null,
    refuseLate: () => undefined,
  });
  await t.rejects(failing ?? Promise.resolve(), /cannot be read/);
});

t.test(
  'all that nobody known has sent has one turn beside an organisation, and in it a /48 has one',
  async (t) => {
    const made: string[] = [];
    const turns = new ReadTurns(60_000);
    const ask = asker(turns, made);
    const askUnknown = (limitKey: string) =>
      turns.make({
        run: () => {
          work(1);
          made.push(limitKey);
        },
        tenant: () => addressTenant(limitKey),
        stranger: () => addressTenant(limitKey),
        refuseLate: () => undefined,
      });
    t.equal(ask('first'), undefined);
    const [one, another, other] = ['20010db800000001/64', '20010db800000002/64', '20010db900000001/64'];
    const strangers = [
      ...Array.from({ length: 10 }, () => askUnknown(one)),
      askUnknown(another),
      askUnknown(other),
    ];
    const known = [ask('second', 1), ask('second', 1)];
    await Promise.all([...strangers, ...known]);
    t.ok(made.lastIndexOf('second') <= 4, `the organisation has every second turn: ${made}`);
    t.ok(made.indexOf(other) < 5, `the other network does not wait for the crowd: ${made}`);
    t.ok(made.indexOf(another) > made.lastIndexOf(one), `a /64 of the same /48 waits for it: ${made}`);
  },
);

t.test('to find out whose turn it is takes a part of a millisecond of a turn', async (t) => {
  const made: string[] = [];
  const turns = new ReadTurns(60_000);
  const ask = asker(turns, made);
  t.equal(ask('first'), undefined);
  let asked = 0;
  const askWhose = (account: string) =>
    turns.make({
      run: () => made.push(account),
      stranger: () => addressTenant('192.0.2.1'),
      tenant: () => {
        work(0.2);
        asked += 1;
        return { projectId: 'project', accountId: account };
      },
      refuseLate: () => undefined,
    });
  const waiting = Array.from({ length: 40 }, (_unused, index) => askWhose(`account ${index}`));
  t.ok(asked >= 1 && asked <= 3, `${asked} of 40 were looked at in the turn in which they came`);
  await Promise.all(waiting);
  t.equal(asked, 40);
  t.equal(made.length, 41);
});

t.test('what may not wait is neither read nor refused a second time', async (t) => {
  const turns = new ReadTurns(60_000);
  t.equal(asker(turns, [])('first'), undefined);
  let refused = 0;
  await turns.make({
    run: () => t.fail('it was read'),
    stranger: () => null,
    tenant: () => {
      refused += 1;
      return null;
    },
    refuseLate: () => t.fail('it was refused twice'),
  });
  t.equal(refused, 1);
});
