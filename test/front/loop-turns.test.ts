import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { LoopTurns } from '../../src/front/loop-turns.ts';

t.test('one goes on in each turn of the event loop, organisation by organisation', async (t) => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const wait = async (account: string, name: string): Promise<void> => {
    await turns.wait({ projectId: account, accountId: account });
    order.push(name);
  };
  const crowd = Array.from({ length: 5 }, (_unused, index) => wait('crowd', `crowd ${index}`));
  const quiet = wait('quiet', 'quiet');
  const lengths: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    await setImmediate();
    lengths.push(order.length);
  }
  await Promise.all([...crowd, quiet]);
  t.same(order, ['crowd 0', 'quiet', 'crowd 1', 'crowd 2', 'crowd 3', 'crowd 4']);
  t.ok(
    lengths.every((length, turn) => length - (lengths[turn - 1] ?? 0) <= 1),
    lengths.join(),
  );
  await wait('quiet', 'later');
  t.equal(order.length, 7);
});
