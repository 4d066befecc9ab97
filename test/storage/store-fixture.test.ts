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
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { pageBytesIn } from './support/data-file-head.ts';
import { everyRecordOf } from './support/every-record.ts';
import { mapBytes, writeSample } from './support/sample-store.ts';

/*
 * A store of the present format, with a record of every kind. If it can no longer be read, the format has changed: raise
 * `storeFormat`, and make the fixture again with WRITE_FIXTURE=1.
 *
 * LMDB's files depend on page size, byte order and word size; the test is skipped on other machines.
 */
const fixture = join(repositoryRoot(), 'test', 'fixtures', 'store');
const recordsFile = join(fixture, 'records.json');

if (process.env['WRITE_FIXTURE'] === '1') await writeFixture();

async function writeFixture(): Promise<void> {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  writeSample(store);
  await store.close();
  rmSync(fixture, { recursive: true, force: true });
  mkdirSync(fixture);
  await copyStore(directory, dataFileOf(fixture), () => undefined);
  const identity = readMarker(directory);
  if (identity === null) throw new Error('the store has no marker');
  writeMarker(fixture, identity);
  const { records } = await everyRecordOf(fixture);
  rmSync(`${dataFileOf(fixture)}-lock`, { force: true });
  writeFileSync(recordsFile, `${JSON.stringify(records, null, 1)}\n`);
}

function copyOfFixture(test: Test): string {
  const directory = join(temporaryDirectory(test), 'data');
  cpSync(fixture, directory, { recursive: true });
  return directory;
}

const pageBytes = pageBytesIn(readFileSync(dataFileOf(fixture)));
const isOwnLayout = endianness() === 'LE' && pageBytes === 4096;

t.test('a store of the present format is read and written as it was made', async (test) => {
  if (!isOwnLayout) {
    test.pass('cannot run here', { skip: 'the fixture is little-endian with pages of 4096 bytes' });
    return;
  }
  const directory = copyOfFixture(test);
  test.same([...checkStore(directory)], []);
  const { records, counts, rewritten } = await everyRecordOf(directory);
  test.strictSame(JSON.parse(JSON.stringify(records)), JSON.parse(readFileSync(recordsFile, 'utf8')));
  test.same(rewritten, [], 'each record would be written with the same bytes');
  const empty = databaseNames.filter((name) => counts.get(name) === 0);
  test.same(empty, [], 'a new database needs a record in the sample');
  await openStore({ directory, mapBytes }).close();
});
