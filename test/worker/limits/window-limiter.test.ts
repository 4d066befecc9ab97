import t from 'tap';
import { createWindowMemory, WindowLimiter } from '../../../src/worker/limits/window-limiter.ts';
import { runThreads } from '../../support/run-threads.ts';
import type { WindowTaking } from './take-windows.ts';

const clock = { value: 1000 };
const now = (): number => clock.value;
/** The number of windows in one set. */
const ways = 8;

function limiterOf(limit: number, memory = createWindowMemory()): WindowLimiter {
  return new WindowLimiter(memory, limit, { now });
}

t.test('exactly the limit is taken in a window, which begins with the first event', async (t) => {
  const limiter = limiterOf(3);
  clock.value = 5000;
  t.same(
    [1, 2, 3, 4, 5].map(() => limiter.take('a')),
    [true, true, true, false, false],
  );
  t.ok(limiter.take('b'), 'each address has a window of its own');
  clock.value = 5000 + 59_999;
  t.notOk(limiter.take('a'));
  t.equal(limiter.retryAfterSeconds('a'), 1);
  clock.value = 5000 + 60_000;
  t.ok(limiter.take('a'), 'a new window begins');
  t.ok(limiter.take('a'));
  t.ok(limiter.take('a'));
  t.notOk(limiter.take('a'), 'with a limit of its own');
});

t.test('reading does not count', async (t) => {
  const limiter = limiterOf(1);
  t.notOk(limiter.isFull('a'));
  t.equal(limiter.countWindows(), 0);
  t.ok(limiter.take('a'));
  t.ok(limiter.isFull('a'));
  t.equal(limiter.retryAfterSeconds('a'), 60);
  clock.value += 60_000;
  t.notOk(limiter.isFull('a'));
});

t.test('given-back events can be taken again, and a window never falls below 0', async (t) => {
  const limiter = limiterOf(2);
  limiter.giveBack('a');
  t.equal(limiter.countWindows(), 0);
  t.ok(limiter.take('a'));
  t.ok(limiter.take('a'));
  limiter.giveBack('a');
  t.ok(limiter.take('a'));
  t.notOk(limiter.take('a'));
  for (let round = 0; round < 5; round += 1) limiter.giveBack('a');
  t.same(
    [1, 2, 3].map(() => limiter.take('a')),
    [true, true, false],
  );
});

t.test('the table is bounded: in a full set the least recently seen address is forgotten', async (t) => {
  const limiter = limiterOf(1, createWindowMemory(ways));
  const take = (key: string): boolean => {
    clock.value += 1;
    return limiter.take(key);
  };
  const keys = Array.from({ length: ways }, (_, index) => `key ${index}`);
  for (const key of keys) t.ok(take(key));
  t.notOk(take('key 0'), 'seen again, and refused');
  t.ok(take('another'));
  t.equal(limiter.countWindows(), ways);
  for (const key of keys.slice(2)) t.ok(limiter.isFull(key), `${key} is remembered`);
  t.notOk(take('key 0'), 'it was seen after key 1, and is remembered');
  t.notOk(limiter.isFull('key 1'), 'key 1 was forgotten');
});

t.test('an ended window is displaced like any other, and begins again in its own slot', async (t) => {
  const limiter = limiterOf(1, createWindowMemory(ways));
  t.ok(limiter.take('a'));
  clock.value += 60_000;
  t.ok(limiter.take('a'));
  t.equal(limiter.countWindows(), 1);
});

t.test('each process assigns addresses to sets differently', async (t) => {
  const keys = Array.from({ length: 64 }, (_, index) => `192.0.2.${index}`);
  const placesOf = () => {
    const memory = createWindowMemory();
    const limiter = limiterOf(1, memory);
    const seen = new Float64Array(memory.seen);
    return keys.map((key) => {
      clock.value += 1;
      limiter.take(key);
      return Math.floor(seen.indexOf(clock.value) / ways);
    });
  };
  const [one, other] = [placesOf(), placesOf()];
  t.ok(one.filter((set, index) => set !== other[index]).length > 60);
});

t.test('a limit of 0 is no limit', async (t) => {
  const limiter = limiterOf(0);
  const taken = Array.from({ length: 1000 }, () => limiter.take('a'));
  t.notOk(taken.includes(false));
  t.notOk(limiter.isFull('a'));
  t.equal(limiter.countWindows(), 0);
});

const threads = 4;
const windows = 3;

async function takeOverThreads(options: Partial<WindowTaking>): Promise<readonly (readonly number[])[]> {
  const task: WindowTaking = {
    memory: createWindowMemory(),
    limit: 1000,
    windowMs: 60_000,
    keys: ['192.0.2.1'],
    attempts: 5000,
    windows,
    meetings: new SharedArrayBuffer(4 * windows),
    threads,
    giveBackEvery: 0,
    ...options,
  };
  const module = new URL('./take-windows.js', import.meta.url);
  const kept = await runThreads<WindowTaking, readonly (readonly number[])[]>(module, threads, task);
  return Array.from({ length: windows }, (_, window) =>
    task.keys.map((_key, key) => kept.reduce((sum, each) => sum + (each[window]?.[key] ?? 0), 0)),
  );
}

t.test('threads that take from one address take exactly the limit, in each window', async (t) => {
  t.same(
    await takeOverThreads({}),
    Array.from({ length: windows }, () => [1000]),
  );
});

t.test('and also from many addresses at once', async (t) => {
  const keys = Array.from({ length: 500 }, (_, index) => `192.0.2.${index}`);
  const taken = await takeOverThreads({ keys, limit: 7, attempts: 500 * 10 });
  t.same(
    taken,
    Array.from({ length: windows }, () => keys.map(() => 7)),
  );
});

t.test('events that threads give back can be taken by others, exactly', async (t) => {
  const taken = await takeOverThreads({ limit: 1000, attempts: 20_000, giveBackEvery: 3 });
  t.same(
    taken,
    Array.from({ length: windows }, () => [1000]),
  );
});
