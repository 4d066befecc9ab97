import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { ReadTurns } from '../../src/operations/read-turns.ts';
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
    refuseLate: () => undefined,
  });
  await t.rejects(failing ?? Promise.resolve(), /cannot be read/);
});
