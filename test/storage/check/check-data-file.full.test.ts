import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { checkDataFile } from '../../../src/storage/check/check-data-file.ts';
import { checkHeads, checkPages } from '../../../src/storage/lmdb/check-pages.ts';
import { createDatabase, dataFileOf, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { readHead } from '../../../src/storage/lmdb/page-format.ts';
import { openStore } from '../../../src/storage/store.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { recordKinds } from '../../../src/storage/tables/tables.ts';
import { newId } from '../../../src/support/random-id.ts';
import { createRandom } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { pagesInUse } from '../support/data-pages.ts';
import { flagChangeOf, flagOf } from '../support/records.ts';
import { mapBytes, writeSample } from '../support/sample-store.ts';

// Takes some 20 s on an idle machine.
t.setTimeout(120_000);

const everything = { bytesMax: 2 ** 40, isComplete: true };

/** Creates, changes and deletes flags, some with values of many pages. */
async function changedStore(
  test: Test,
  { flags, changes }: { flags: number; changes: number },
): Promise<string> {
  const directory = temporaryDirectory(test);
  const random = createRandom(7);
  const store = openStore({ directory, mapBytes });
  writeSample(store);
  const projectId = newId();
  const cohorts = () => (random.chance(0.2) ? ['x'.repeat(random.integer(1, 30_000))] : []);
  const known = Array.from({ length: flags }, (_, index) => flagOf(projectId, { name: `flag ${index}` }));
  store.write(({ apply }) => apply(known.map((flag) => flagChangeOf(null, flag))));
  for (let change = 0; change < changes; change += 1) {
    const [before = null] = known.splice(random.integer(0, known.length - 1), 1);
    const after =
      before !== null && random.chance(0.3)
        ? null
        : flagOf(projectId, { ...before, name: `new ${change}`, cohorts: cohorts() });
    if (after !== null) known.push(after);
    store.write(({ apply }) => apply([flagChangeOf(before, after)]));
  }
  await store.close();
  return dataFileOf(directory);
}

/** Every entry as text, but those of `audit-by-subject`: `burgee check` verifies that index, the start does not. */
function entriesIn(path: string): readonly string[] {
  const descriptor = openSync(path, 'r');
  const entries: string[] = [];
  try {
    checkPages(descriptor, checkHeads(descriptor), {
      choose: (tables) => new Set(tables.map(({ name }) => name)),
      begin: (name) => (entry) => {
        if (name === 'audit-by-subject') return;
        entries.push(`${name} ${entry.key.toString('hex')} ${entry.value.toString('hex')}`);
      },
    });
    return entries;
  } finally {
    closeSync(descriptor);
  }
}

function pagesOf(path: string) {
  const descriptor = openSync(path, 'r');
  const head = readHead(descriptor);
  if (head === null) throw new Error('no head');
  const runs = Array.from(pagesInUse(descriptor, head));
  closeSync(descriptor);
  return { pageBytes: head.pageBytes, runs };
}

t.test("lmdb's pages pass the check after any changes", async (test) => {
  for (const size of [
    { flags: 1, changes: 3 },
    { flags: 50, changes: 300 },
    { flags: 4000, changes: 400 },
  ]) {
    const path = await changedStore(test, size);
    test.equal(checkDataFile(path, everything), null);
    test.equal(checkDataFile(path, { ...everything, bytesMax: 0 }), null);
  }
});

t.test('a copy passes too, compact or not', async (test) => {
  const path = await changedStore(test, { flags: 300, changes: 200 });
  for (const isCompact of [true, false]) {
    const directory = join(temporaryDirectory(test), 'copy');
    mkdirSync(directory);
    const root = openEnvironment({ directory: join(path, '..'), mapBytes, isReadOnly: true });
    await root.backup(dataFileOf(directory), isCompact);
    await root.close();
    test.equal(checkDataFile(dataFileOf(directory), everything), null);
    test.same(entriesIn(dataFileOf(directory)), entriesIn(path));
  }
});

t.test('a file after kill -9 passes too', async (test) => {
  const directory = temporaryDirectory(test);
  const entry = fileURLToPath(new URL('../support/endless-writer.js', import.meta.url));
  const child = spawn(process.execPath, [entry, directory, newId()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout }))
    if (Number(line) === 300) child.kill('SIGKILL');
  await exited;
  test.equal(checkDataFile(dataFileOf(directory), everything), null);
});

t.test('every blank page in use is found', async (test) => {
  const path = await changedStore(test, { flags: 300, changes: 100 });
  const whole = readFileSync(path);
  const { pageBytes, runs } = pagesOf(path);
  test.ok(runs.length > 30);
  for (const { first } of [{ first: 0 }, { first: 1 }, ...runs]) {
    const damaged = Buffer.from(whole).fill(0, first * pageBytes, (first + 1) * pageBytes);
    writeFileSync(path, damaged);
    test.not(checkDataFile(path, everything), null, `page ${first}`);
  }
});

const flips = 1500;
const flipSeed = 11;
/**
 * Most bits lie in free space and in bytes that are never read. The seed fixes the flips, but the ids in the store are
 * new in every run, so the count still varies: over 24 seeds from 288 to 363, mean 320. The standard deviation of a
 * binomial count with this mean is 16, so this bound lies six of them below.
 */
const foundMin = 220;

t.test('a flipped bit is found, or changes no byte that is read', async (test) => {
  const path = await changedStore(test, { flags: 40, changes: 30 });
  const whole = readFileSync(path);
  const before = entriesIn(path);
  const random = createRandom(flipSeed);
  let found = 0;
  const changed: number[] = [];
  const { pageBytes, runs } = pagesOf(path);
  for (let flip = 0; flip < flips; flip += 1) {
    const at = random.pick(runs).first * pageBytes + random.integer(0, pageBytes - 1);
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.integer(0, 7));
    writeFileSync(path, damaged);
    const damage = checkDataFile(path, everything);
    if (damage !== null) found += 1;
    else if (!isDeepStrictEqual(entriesIn(path), before)) changed.push(at);
  }
  test.same(changed, [], 'bytes whose flip was not found and changed a read');
  test.comment(`seed ${flipSeed}: ${found} of ${flips} flips were found`);
  test.ok(found > foundMin, `more than ${foundMin} of ${flips} are found`);
});

t.test('a wrong entry is found in every index', async (test) => {
  const path = await changedStore(test, { flags: 1, changes: 0 });
  const indexes = recordKinds.flatMap((kind) => kind.indexes.map(({ database }) => database));
  test.ok(indexes.includes('members-by-email'));
  for (const name of indexes) {
    const directory = temporaryDirectory(test);
    copyFileSync(path, dataFileOf(directory));
    const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
    const table = createDatabase(root, name);
    const [first] = table.getRange({ limit: 1 });
    if (first === undefined) throw new Error(`${name} is empty`);
    const wrongKey = Buffer.from(first.key);
    wrongKey[0] = (wrongKey[0] ?? 0) ^ 1;
    root.transactionSync(() => {
      table.removeSync(first.key);
      table.putSync(wrongKey, first.value);
    });
    await root.close();
    test.match(checkDataFile(dataFileOf(directory), everything), `${name} does not list the records`);
  }
});

t.test('damage to pages that lead to records is found in a store of any size', async (test) => {
  const path = await changedStore(test, { flags: 4000, changes: 0 });
  const whole = readFileSync(path);
  const { pageBytes, runs } = pagesOf(path);
  const isBranch = (page: number): boolean => whole.readUInt16LE(page * pageBytes + 18) === 1;
  const branches = runs.filter(({ first }) => isBranch(first));
  test.ok(branches.length > 3);
  for (const { first } of branches) {
    const damaged = Buffer.from(whole).fill(0xff, first * pageBytes + 24, (first + 1) * pageBytes);
    writeFileSync(path, damaged);
    test.not(checkDataFile(path, { ...everything, bytesMax: 0 }), null, `page ${first}`);
  }
});

t.test('the start is refused with what to do, and the file stays as it is', async (test) => {
  const path = await changedStore(test, { flags: 40, changes: 30 });
  const directory = join(path, '..');
  const file = readFileSync(path);
  const { pageBytes, runs } = pagesOf(path);
  file.fill(0, (runs.at(-1)?.first ?? 0) * pageBytes, ((runs.at(-1)?.first ?? 0) + 1) * pageBytes);
  writeFileSync(path, file);
  test.throws(() => openStore({ directory, mapBytes }), StoreError);
  test.throws(
    () => openStore({ directory, mapBytes }),
    /burgee\.mdb is damaged: .*Restore the directory from a backup/,
  );
  test.same(readFileSync(path), file);
});
