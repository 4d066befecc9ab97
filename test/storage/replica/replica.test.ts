import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { RecordSource } from '../../../src/storage/record-source.ts';
import { chainChecksum, encodeContent, type ReplicaRow } from '../../../src/storage/replica/log-row.ts';
import type { StateToTake } from '../../../src/storage/replica/replace-state.ts';
import type { Replica } from '../../../src/storage/replica/replica.ts';
import { hashState, type StateEntry, stateOf } from '../../../src/storage/replica/state.ts';
import { Snapshots } from '../../../src/storage/snapshots.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { openForReading } from '../../../src/storage/store-opening.ts';
import { historyRecord, metaKeys, type ReplicaPlace } from '../../../src/storage/tables/meta.ts';
import { newId } from '../../../src/support/random-id.ts';
import { createStoreVersionMemory, StoreVersion } from '../../../src/support/store-version.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf, creationOf, evaluationCountOf, projectOf } from '../support/records.ts';
import { mapBytes, sampleChanges, sampleRecords } from '../support/sample-store.ts';

interface Node {
  readonly directory: string;
  readonly store: Store;
  readonly replica: Replica;
  readonly version: StoreVersion;
}

const storeId = newId();
const beginning = { position: 1, checksum: randomBytes(32) };

function nodeOf(t: Test, name: string, place: typeof beginning | null = beginning): Node {
  const directory = temporaryDirectory(t);
  const storeVersion = createStoreVersionMemory();
  const store = openStore({ directory, mapBytes, storeVersion, replica: { storeId } });
  t.teardown(() => store.close());
  const replica = store.asReplica(name);
  if (place !== null) replica.begin(place);
  return { directory, store, replica, version: new StoreVersion(storeVersion) };
}

/** Reads as another process would. */
function read<T>(directory: string, run: (source: RecordSource) => T): T {
  const opened = openForReading({ directory, mapBytes });
  const snapshots = new Snapshots(opened.root);
  try {
    return run(new RecordSource(opened.databases, snapshots));
  } finally {
    snapshots.close();
    void opened.close();
  }
}

function hashOf({ directory }: Node): string {
  return read(directory, hashState).sha256;
}

function decided(node: Node, changes: readonly RecordChange[]): ReplicaRow {
  const { row } = node.replica.decide(({ apply }) => apply(changes));
  if (row === null) throw new Error('nothing was decided');
  return row;
}

/** Of every kind, one. */
function changesOf(): RecordChange[] {
  return sampleChanges(sampleRecords());
}

t.test('what is decided is nowhere until the row is followed, and then the same on every node', async (t) => {
  const [one, two] = [nodeOf(t, 'one'), nodeOf(t, 'two')];
  const before = hashOf(one);
  const row = decided(one, changesOf());
  t.equal(hashOf(one), before, 'a decision is given up');
  t.equal(one.replica.place.position, 1);
  for (const node of [one, two]) node.replica.follow([row]);
  t.equal(hashOf(one), hashOf(two));
  t.not(hashOf(one), before);
  t.same(one.replica.place, { position: 2, checksum: row.checksum });
  t.same(two.replica.place, one.replica.place);
  // Each decides on what the other did: the chain of the audit log goes on, too.
  const next = decided(two, changesOf());
  for (const node of [two, one]) node.replica.follow([next]);
  t.equal(hashOf(one), hashOf(two));
});

t.test(
  'of two that decide on one state the one that lost decides again, on the state of the other',
  async (t) => {
    const [one, two] = [nodeOf(t, 'one'), nodeOf(t, 'two')];
    const project = projectOf(newId());
    const seen: string[] = [];
    const rename = (node: Node, name: string) =>
      node.replica.decide(({ queries, apply }) => {
        const before = queries.project(project.id) ?? null;
        seen.push(before?.name ?? 'none');
        apply([
          { kind: 'project', before, after: { ...project, name, revision: (before?.revision ?? 0) + 1 } },
        ]);
      }).row as ReplicaRow;
    const won = rename(one, 'one');
    rename(two, 'two');
    for (const node of [one, two]) node.replica.follow([won]);
    const again = rename(two, 'two');
    for (const node of [one, two]) node.replica.follow([again]);
    t.same(seen, ['none', 'none', 'one']);
    t.equal(hashOf(one), hashOf(two));
    const { result } = one.replica.decide(({ queries }) => queries.project(project.id));
    t.match(result, { name: 'two', revision: 2 });
  },
);

t.test('a node decides on rows of others that came together, whatever it knew before', async (t) => {
  const [one, two] = [nodeOf(t, 'one'), nodeOf(t, 'two')];
  const project = projectOf(newId());
  const rename = (node: Node, name: string) =>
    node.replica.decide(({ queries, apply }) => {
      const before = queries.project(project.id) ?? null;
      const revision = (before?.revision ?? 0) + 1;
      apply([
        { kind: 'project', before, after: { ...project, name, revision } },
        { kind: 'audit', entry: auditEntryOf(project.id, { at: revision }) },
      ]);
      return before?.name ?? 'none';
    });
  const follow = (rows: readonly ReplicaRow[]) => {
    for (const node of [one, two]) node.replica.follow(rows);
  };
  // Node two knows the project and the end of the audit log, since it has decided on them.
  follow([rename(two, 'first').row as ReplicaRow]);
  const rows: ReplicaRow[] = [];
  for (const name of ['second', 'third']) {
    const { row } = rename(one, name);
    one.replica.follow([row as ReplicaRow]);
    rows.push(row as ReplicaRow);
  }
  two.replica.follow(rows);
  const { result, row } = rename(two, 'fourth');
  t.equal(result, 'third');
  follow([row as ReplicaRow]);
  const entries = read(two.directory, (source) => source.count('audit'));
  t.equal(entries, 4, 'no entry of the audit log took the place of another');
  t.equal(hashOf(one), hashOf(two));
});

t.test('a decision that was not committed is not seen by the next one', async (t) => {
  const node = nodeOf(t, 'one');
  const project = projectOf(newId());
  const create = [creationOf('project', project)];
  t.not(node.replica.decide(({ apply }) => apply(create)).row, null);
  const { result, row } = node.replica.decide(({ queries }) => queries.project(project.id));
  t.equal(result, undefined);
  t.equal(row, null, 'nothing changes: there is no row');
});

t.test('rows come in order, each once, and of one history alone', async (t) => {
  const [one, two] = [nodeOf(t, 'one'), nodeOf(t, 'two')];
  const other = nodeOf(t, 'other', { position: 1, checksum: randomBytes(32) });
  const rows: ReplicaRow[] = [];
  for (let count = 0; count < 3; count += 1) {
    const row = decided(one, changesOf());
    rows.push(row);
    one.replica.follow([row]);
  }
  const [first, second, third] = rows as [ReplicaRow, ReplicaRow, ReplicaRow];
  t.throws(() => two.replica.follow([second]), { name: 'DivergedError' }, 'one is missing');
  t.throws(() => other.replica.follow([first]), { name: 'DivergedError' }, 'of another history');
  const changed = { ...first, changes: Buffer.from(first.changes) };
  changed.changes[40] = (changed.changes[40] ?? 0) ^ 1;
  t.throws(() => two.replica.follow([changed]), { name: 'DivergedError' }, 'its content was changed');
  t.throws(() => two.replica.follow([first, third]), { name: 'DivergedError' });
  t.equal(two.replica.place.position, 1, 'a refused row leaves nothing behind');
  two.replica.follow([first, second]);
  two.replica.follow([first, second, third]);
  two.replica.follow([second]);
  t.equal(two.replica.place.position, 4);
  t.equal(hashOf(one), hashOf(two));
});

t.test('a row of a newer form is refused whole, and says so', async (t) => {
  const [one, two] = [nodeOf(t, 'one'), nodeOf(t, 'two')];
  const content = encodeContent({ writes: [], logged: [] });
  content[1] = 99;
  const row = { ...decided(one, changesOf()), changes: content };
  const checksum = chainChecksum(beginning.checksum, row);
  t.throws(() => two.replica.follow([{ ...row, checksum }]), { name: 'NewerRowError' });
  t.equal(two.replica.place.position, 1);
});

t.test(
  'a replica takes over a state: what is missing comes, what is too much goes, and readers see none of the way',
  async (t) => {
    const [one, late] = [nodeOf(t, 'one'), nodeOf(t, 'late', null)];
    for (let count = 0; count < 4; count += 1) one.replica.follow([decided(one, changesOf())]);
    const batches = await statesOf(one, 7);
    const seen: string[] = [];
    const before = hashOf(late);
    const reading = openForReading({ directory: late.directory, mapBytes });
    const snapshots = new Snapshots(reading.root);
    t.teardown(async () => {
      snapshots.close();
      await reading.close();
    });
    async function* watched() {
      for (const batch of batches) {
        yield batch;
        snapshots.renew();
        seen.push(hashState(new RecordSource(reading.databases, snapshots)).sha256);
      }
    }
    const version = late.version.load();
    await late.replica.become(stateOfPlace(one.replica.place), watched());
    t.ok(seen.length > 1);
    t.same(new Set(seen), new Set([before]));
    t.equal(late.version.load(), version + 2, 'readers are told once');
    t.equal(hashOf(late), hashOf(one));
    t.same(late.replica.place, one.replica.place);

    // Away for a while: little is written then.
    const project = projectOf(newId());
    one.replica.follow([decided(one, [creationOf('project', project)])]);
    const again = await statesOf(one, 100);
    const written = await late.replica.become(stateOfPlace(one.replica.place), iterate(again));
    t.ok(written <= 3, `${written} entries were written`);
    t.equal(hashOf(late), hashOf(one));
    const next = decided(late, changesOf());
    for (const node of [late, one]) node.replica.follow([next]);
    t.equal(hashOf(late), hashOf(one));
  },
);

t.test('a state that breaks off leaves the replica as it was', async (t) => {
  const [one, late] = [nodeOf(t, 'one'), nodeOf(t, 'late')];
  one.replica.follow([decided(one, changesOf())]);
  const before = hashOf(late);
  const [first = []] = await statesOf(one, 3);
  async function* broken() {
    yield first;
    throw new Error('cut off');
  }
  await t.rejects(late.replica.become(stateOfPlace(one.replica.place), broken()), { message: 'cut off' });
  t.equal(hashOf(late), before);
  t.same(late.replica.place, beginning);
  t.equal(late.replica.isBecoming, false);
  const next = decided(late, changesOf());
  late.replica.follow([next]);
  t.equal(late.replica.place.position, 2, 'it goes on');
});

t.test(
  'a replica that took over another past begins another history, also after it was opened again',
  async (t) => {
    const [one, other] = [nodeOf(t, 'one'), nodeOf(t, 'other')];
    const first = decided(one, changesOf());
    for (const node of [one, other]) node.replica.follow([first]);
    const historyOf = (node: Node) =>
      read(node.directory, (source) => source.find(historyRecord, metaKeys.history));
    const before = historyOf(one);
    t.not(before, undefined);
    t.equal(one.replica.decide(() => null).row, null, 'nothing is to be said of a past that is known');
    const state = { ...stateOfPlace(one.replica.place), isOfAnotherPast: true };
    await one.replica.become(state, iterate(await statesOf(one, 100)));
    t.equal(hashOf(one), hashOf(other), 'it is no part of the state');
    await one.store.close();
    const again = openStore({ directory: one.directory, mapBytes, replica: { storeId } });
    t.teardown(() => again.close());
    const opened = { ...one, store: again, replica: again.asReplica('again') };
    t.equal(opened.replica.hasAnotherPast, true);
    const row = opened.replica.decide(() => null).row as ReplicaRow;
    for (const node of [opened, other]) node.replica.follow([row]);
    t.not(historyOf(opened), before);
    t.equal(historyOf(other), historyOf(opened));
    t.equal(hashOf(other), hashOf(opened));
    t.equal(opened.replica.hasAnotherPast, false);
    t.equal(opened.replica.decide(() => null).row, null, 'once');
  },
);

t.test('what a node counts for itself is in no row', async (t) => {
  const node = nodeOf(t, 'one');
  const row = node.replica.decide(({ apply }) =>
    apply([
      { kind: 'evaluation-count', count: evaluationCountOf(newId()) },
      { kind: 'own-evaluations', count: evaluationCountOf(newId()) },
      { kind: 'other-evaluations', count: evaluationCountOf(newId()) },
    ]),
  ).row;
  t.equal(row, null);
});

t.test('a replica is opened by its cluster alone, and another store is not', async (t) => {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes, replica: { storeId } });
  store.asReplica('one').begin(beginning);
  await store.close();
  t.throws(() => openStore({ directory, mapBytes }), { name: 'StoreError' });
  t.throws(() => openStore({ directory, mapBytes }), { message: /BURGEE_CLUSTER_URL/ });
  const other = openStore.bind(null, { directory, mapBytes, replica: { storeId: newId() } });
  t.throws(other, { message: /and the cluster has store/ });
  const again = openStore({ directory, mapBytes, replica: { storeId: null } });
  const replica = again.asReplica('two');
  t.same(replica.place.position, 1);
  replica.end();
  await again.close();
  await openStore({ directory, mapBytes }).close();
  t.pass('taken out of its cluster it is a store like any other');
});

function stateOfPlace(place: ReplicaPlace): StateToTake {
  return { place, node: 'late', isOfAnotherPast: false };
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function statesOf({ directory }: Node, size: number): Promise<readonly (readonly StateEntry[])[]> {
  return read(directory, (source) => {
    const entries = Array.from(stateOf(source), ({ database, key, value }) => ({
      database,
      key: Buffer.from(key),
      value: Buffer.from(value),
    }));
    const batches: StateEntry[][] = [];
    for (let start = 0; start < entries.length; start += size)
      batches.push(entries.slice(start, start + size));
    return batches;
  });
}
