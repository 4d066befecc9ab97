import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import type { Flag } from '../../src/domain/flag/flag.ts';
import type { Store } from '../../src/storage/store.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { newId } from '../../src/support/random-id.ts';
import { flagChangeOf, flagOf } from './support/records.ts';
import { mapBytes, newStore } from './support/sample-store.ts';

const projectId = newId();
/** The most that may be set, and the snapshots that all long answers together may hold. */
const workersMax = 256;
const pinnedMax = 128;

function create(store: Store, flag: Flag): Flag {
  store.write(({ apply }) => apply([flagChangeOf(null, flag)]));
  return flag;
}

function patch(store: Store, flag: Flag): Flag {
  const next = { ...flag, revision: flag.revision + 1 };
  store.write(({ apply }) => apply([flagChangeOf(flag, next)]));
  return next;
}

/** Waits an event-loop turn in which lmdb's timers fire, which would renew its default snapshot. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setImmediate(resolve));
}

t.test(
  'a reader sees one state from its first read until it renews, over turns of the event loop',
  async (test) => {
    const { store, reader } = newStore(test);
    const first = create(store, flagOf(projectId));
    test.strictSame(reader.queries.flag(first.id), first);
    const second = patch(store, first);
    await turn();
    test.strictSame(reader.queries.flag(first.id), first);
    test.strictSame([...reader.queries.flagsOf(projectId)], [first]);
    test.equal(reader.sequence(), 1);
    reader.renew();
    test.strictSame(reader.queries.flag(first.id), second);
    test.equal(reader.sequence(), 2);
  },
);

t.test('there are readers for as many workers as may be set, each with several snapshots', async (test) => {
  const { store, reader } = newStore(test);
  let flag = create(store, flagOf(projectId));
  const pins = [];
  // Each pin is of a state of its own, so each has a transaction.
  for (let snapshot = 0; snapshot < workersMax * 4 + pinnedMax; snapshot += 1) {
    pins.push(reader.pin());
    flag = patch(store, flag);
    reader.renew();
  }
  test.strictSame(reader.queries.flag(flag.id), flag);
  for (const pin of pins) pin.release();
});

t.test('a pin keeps its snapshot over renewals and turns until it is released', async (test) => {
  const { store, reader } = newStore(test);
  const first = create(store, flagOf(projectId));
  const pinned = reader.pin();
  const second = patch(store, first);
  await turn();
  reader.renew();
  test.strictSame(reader.queries.flag(first.id), second);
  test.strictSame(pinned.queries.flag(first.id), first);
  const third = patch(store, second);
  const pinnedLater = reader.pin();
  reader.renew();
  test.strictSame(
    [pinned, pinnedLater, reader].map(({ queries }) => queries.flag(first.id)),
    [first, second, third],
  );
  pinned.release();
  pinned.release();
  test.throws(() => pinned.queries.flag(first.id), /released/);
  test.throws(() => [...pinned.queries.flagsOf(projectId)], /released/);
  test.strictSame(pinnedLater.queries.flag(first.id), second);
  pinnedLater.release();
  test.strictSame(reader.queries.flag(first.id), third);
});

t.test('an iteration continues on its snapshot when the reader renews meanwhile', async (test) => {
  const { store, reader } = newStore(test);
  const flags = ['a', 'b', 'c'].map((name) => create(store, flagOf(projectId, { name })));
  const seen: string[] = [];
  for (const flag of reader.queries.flagsOf(projectId)) {
    seen.push(`${flag.name}${flag.revision}`);
    for (const each of flags.splice(0)) store.write(({ apply }) => apply([flagChangeOf(each, null)]));
    reader.renew();
    test.strictSame([...reader.queries.flagsOf(projectId)], []);
  }
  test.strictSame(seen, ['a1', 'b1', 'c1']);
});

t.test('a thousand successive pins take no more reader slots than two', async (test) => {
  const { store, reader } = newStore(test);
  let flag = create(store, flagOf(projectId));
  const steps = new Set<number>();
  for (let round = 0; round < 1000; round += 1) {
    const pinned = reader.pin();
    flag = patch(store, flag);
    reader.renew();
    steps.add((reader.queries.flag(flag.id)?.revision ?? 0) - (pinned.queries.flag(flag.id)?.revision ?? 0));
    pinned.release();
  }
  test.same([...steps], [1]);
});

t.test('renewing without a turn of the event loop accumulates nothing', async (test) => {
  const { store, reader } = newStore(test);
  const { id } = create(store, flagOf(projectId));
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  reader.queries.flag(id);
  const before = timers();
  for (let round = 0; round < 1000; round += 1) {
    reader.renew();
    reader.queries.flag(id);
  }
  test.equal(timers(), before);
});

t.test('a closed reader refuses to read, and releases its pins', async (test) => {
  const { directory, store } = newStore(test);
  const { id } = create(store, flagOf(projectId));
  const reader = openStoreReader({ directory, mapBytes });
  const pinned = reader.pin();
  await reader.close();
  pinned.release();
  test.throws(() => reader.queries.flag(id), /closed/);
  test.throws(() => pinned.queries.flag(id), /released/);
  test.throws(() => reader.renew(), /closed/);
  patch(store, flagOf(projectId, { id }));
});

t.test(
  'readers in other threads see a commit after renewing, and closing one does not harm the others',
  async (test) => {
    const { directory, store, reader } = newStore(test);
    const flag = create(store, flagOf(projectId));
    const entry = new URL('./support/reader-worker.js', import.meta.url);
    const workers = [1, 2].map(() => new Worker(entry, { workerData: { directory, flagId: flag.id } }));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const ask = (request: string) =>
      Promise.all(
        workers.map(async (worker) => {
          const answered = once(worker, 'message');
          worker.postMessage(request);
          return ((await answered) as [number])[0];
        }),
      );
    test.strictSame(await ask('look'), [1, 1]);
    const second = patch(store, flag);
    test.strictSame(await ask('look'), [1, 1]);
    test.strictSame(await ask('renew'), [2, 2]);
    const [leaving] = workers.splice(0, 1);
    const left = leaving && once(leaving, 'exit');
    leaving?.postMessage('close');
    await left;
    patch(store, second);
    test.strictSame(await ask('renew'), [3]);
    reader.renew();
    test.equal(reader.queries.flag(flag.id)?.revision, 3);
    const gone = Promise.all(workers.map((worker) => once(worker, 'exit')));
    for (const worker of workers) worker.postMessage('close');
    await gone;
  },
);
