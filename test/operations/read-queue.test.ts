import t from 'tap';
import { ReadQueue } from '../../src/operations/read-queue.ts';

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

t.test(
  'short reads run at once; after a millisecond of them the others wait for the next pass',
  async (t) => {
    const queue = new ReadQueue(5000);
    const ran: string[] = [];
    t.equal(
      queue.run(() => ran.push('first')),
      undefined,
    );
    t.notOk(queue.isBusy);
    void queue.run(() => busyFor(2));
    t.ok(queue.isBusy);
    const waiting = ['second', 'third'].map((name) =>
      queue.run(() => {
        ran.push(name);
        busyFor(2);
      }),
    );
    t.strictSame(ran, ['first']);
    const passes: string[][] = [];
    setImmediate(() => passes.push([...ran]));
    t.strictSame(await Promise.all(waiting), [true, true]);
    t.strictSame(ran, ['first', 'second', 'third'], 'in the order of arrival');
    t.strictSame(passes, [['first', 'second']], 'one long read in a pass');
  },
);

t.test('a read that has waited for too long does not run', async (t) => {
  const queue = new ReadQueue(10);
  void queue.run(() => busyFor(2));
  const first = queue.run(() => busyFor(20));
  const late = queue.run(() => t.fail('it is too late'));
  t.strictSame([await first, await late], [true, false]);
  await new Promise(setImmediate);
  t.equal(
    queue.run(() => undefined),
    undefined,
    'the next one runs at once',
  );
});

t.test('what a read throws reaches its caller, and the others run', async (t) => {
  const queue = new ReadQueue(5000);
  t.throws(() =>
    queue.run(() => {
      busyFor(2);
      throw new Error('broken');
    }),
  );
  const waiting = queue.run(() => {
    throw new Error('broken later');
  });
  const next = queue.run(() => undefined);
  await t.rejects(waiting as Promise<boolean>, { message: 'broken later' });
  t.equal(await next, true);
});
