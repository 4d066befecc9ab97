import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { copyStore } from '../../src/storage/backup/copy-store.ts';
import { checkStore } from '../../src/storage/check.ts';
import { databaseNames } from '../../src/storage/keys.ts';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { openStore } from '../../src/storage/store.ts';
import { readMarker, writeMarker } from '../../src/storage/store-identity.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fixtureOf, isWriting, ownVersion, recordedVersions } from '../support/versions.ts';
import { pageBytesIn } from './support/data-file-head.ts';
import { everyRecordOf } from './support/every-record.ts';
import { mapBytes, writeSample } from './support/sample-store.ts';

/*
 * A store of each released version, and of this one, with a record of every kind. If this version's can no longer be read,
 * the format has changed: raise `storeFormat`, and make the fixture again with WRITE_FIXTURE=1.
 *
 * LMDB's files depend on page size, byte order and word size; the test is skipped on other machines.
 */
const fixture = fixtureOf(ownVersion, 'store');
const recordsFile = join(fixture, 'records.json');

if (isWriting()) await writeFixture();

async function writeFixture(): Promise<void> {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  writeSample(store);
  await store.close();
  rmSync(fixture, { recursive: true, force: true });
  mkdirSync(fixture, { recursive: true });
  await copyStore(directory, dataFileOf(fixture), () => undefined);
  const identity = readMarker(directory);
  if (identity === null) throw new Error('the store has no marker');
  writeMarker(fixture, identity);
  const { records } = await everyRecordOf(fixture);
  rmSync(`${dataFileOf(fixture)}-lock`, { force: true });
  writeFileSync(recordsFile, `${JSON.stringify(records, null, 1)}\n`);
}

function copyOf(test: Test, version: string): string {
  const directory = join(temporaryDirectory(test), 'data');
  cpSync(fixtureOf(version, 'store'), directory, { recursive: true });
  return directory;
}

const pageBytes = pageBytesIn(readFileSync(dataFileOf(fixture)));
const isOwnLayout = endianness() === 'LE' && pageBytes === 4096;

const skip = isOwnLayout ? false : 'the fixture is little-endian with pages of 4096 bytes';

t.test('a store of this version is read and written as it was made', { skip }, async (test) => {
  const directory = copyOf(test, ownVersion);
  test.same([...checkStore(directory)], []);
  const { records, counts, rewritten } = await everyRecordOf(directory);
  test.strictSame(JSON.parse(JSON.stringify(records)), JSON.parse(readFileSync(recordsFile, 'utf8')));
  test.same(rewritten, [], 'each record would be written with the same bytes');
  const empty = databaseNames.filter((name) => counts.get(name) === 0);
  test.same(empty, [], 'a new database needs a record in the sample');
  await openStore({ directory, mapBytes }).close();
});

for (const version of recordedVersions.filter((each) => each !== ownVersion)) {
  t.test(`a store of ${version} is sound, and opened`, { skip }, async (test) => {
    const directory = copyOf(test, version);
    test.same([...checkStore(directory)], []);
    await openStore({ directory, mapBytes }).close();
  });
}
