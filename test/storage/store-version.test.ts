import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { isUnsettled, StoreVersion } from '../../src/support/store-version.ts';
import { flagChangeOf, flagOf } from './support/records.ts';
import { newStore } from './support/sample-store.ts';

const projectId = 'p'.repeat(20);
const commitsMin = 400;
const commitsMax = 20_000;
const versionsMin = 10;

t.test('at a settled version only one state can be seen, for commits of any duration', async (t) => {
  const { directory, store, version: memory } = newStore(t);
  const stop = new SharedArrayBuffer(8);
  const cells = new Int32Array(stop);
  const entry = new URL('./support/version-watcher.js', import.meta.url);
  const watcher = new Worker(entry, { workerData: { directory, memory, stop } });
  await once(watcher, 'message');
  // On a busy machine the watcher sees few of them.
  const isEnough = (commits: number): boolean =>
    commits >= commitsMin && Atomics.load(cells, 1) > versionsMin;
  for (let commit = 0; commit < commitsMax && !isEnough(commit); commit += 1) {
    store.write(({ apply }) => apply([flagChangeOf(null, flagOf(projectId))]));
  }
  const [seen, gone] = [once(watcher, 'message'), once(watcher, 'exit')];
  Atomics.store(cells, 0, 1);
  const [states] = (await seen) as [Map<number, Set<number>>];
  await gone;
  t.ok(states.size > versionsMin, `${states.size} versions were checked`);
  const torn = [...states].filter(([, sequences]) => sequences.size > 1);
  t.same(torn, [], 'versions at which the states before and after a commit were both seen');
});

t.test('a commit changes the version; an empty or failed one leaves it settled', async (t) => {
  const { store, version: memory } = newStore(t);
  const version = new StoreVersion(memory);
  const before = version.load();
  t.notOk(isUnsettled(before));
  store.write(({ apply }) => apply([]));
  t.equal(version.load(), before);
  t.throws(() =>
    store.write(({ apply }) => {
      apply([flagChangeOf(null, flagOf(projectId))]);
      throw new Error('decided otherwise');
    }),
  );
  t.equal(version.load(), before);
  store.write(({ apply }) => apply([flagChangeOf(null, flagOf(projectId))]));
  t.equal(version.load(), before + 2);
  t.equal(version.settled(), before + 2);
  version.begin();
  t.ok(isUnsettled(version.load()));
  t.equal(version.settled(), before + 2, 'a commit under way is not announced');
  version.end();
});
