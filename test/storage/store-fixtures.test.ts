import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import { databaseNames } from '../../src/storage/keys.ts';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { openStore } from '../../src/storage/store.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { pageBytesIn } from './support/data-file-head.ts';
import { everyRecordOf } from './support/every-record.ts';
import { mapBytes } from './support/sample-store.ts';

/*
 * A store of every format that ever existed, kept for ever. Each must be opened, migrated if it is older, and answer as
 * when it was made (`support/make-store-fixture.ts`).
 *
 * LMDB's files depend on page size, byte order and word size. The fixtures have pages of 4096 bytes, 64 bits and
 * little-endian order. On other machines their tests are skipped, because such a machine could not have written them.
 */
t.setTimeout(120_000);

const folder = join(repositoryRoot(), 'test', 'fixtures');
const fixtures = readdirSync(folder).filter((name) => name.startsWith('store-format-'));
const bytesMax = 200 * 1024;

interface Expected {
  readonly storeId: string;
  readonly checkout: string;
  readonly secret: string;
  readonly evaluations: readonly { readonly path: string; readonly enabled: boolean }[];
}

/** Why this machine cannot read the fixtures; false if it can. */
async function skipReason(test: Test): Promise<string | false> {
  const directory = temporaryDirectory(test);
  await openStore({ directory, mapBytes }).close();
  const pageBytes = pageBytesIn(readFileSync(dataFileOf(directory)));
  if (endianness() === 'LE' && pageBytes === 4096) return false;
  return `SKIPPED: the fixtures are little-endian with pages of 4096 bytes; here: ${endianness()}, ${pageBytes}`;
}

t.test('there is a fixture of every format, and none is large', async (test) => {
  test.ok(fixtures.includes('store-format-1'));
  for (const name of fixtures) {
    const bytes = readdirSync(join(folder, name)).map((file) => statSync(join(folder, name, file)).size);
    test.ok(
      bytes.reduce((sum, each) => sum + each, 0) < bytesMax,
      `${name} is smaller than ${bytesMax} bytes`,
    );
  }
});

for (const name of fixtures) {
  t.test(`${name} is checked, served, evaluated and changed`, async (test) => {
    const reason = await skipReason(test);
    if (reason !== false) {
      process.stderr.write(`${reason}\n`);
      test.pass(reason, { skip: reason });
      return;
    }
    const dataDir = copyOf(test, name);
    const expected = JSON.parse(readFileSync(join(dataDir, 'expected.json'), 'utf8')) as Expected;
    const server = await bootServer(test, { dataDir });
    const client = createHttpClient(test, { port: server.port });
    for (const { path, enabled } of expected.evaluations) {
      const { status, text } = await client.send({ path });
      test.equal(status, 200, path);
      test.equal(JSON.parse(text).enabled, enabled, path);
    }
    const path = `/api/v1/flags/${expected.checkout}?env=production`;
    const request = { method: 'PATCH', path, body: '{"enabled":false}', headers: bearer(expected.secret) };
    test.equal((await client.send(request)).status, 200);
    await server.stop();
    test.same([...checkStore(dataDir)], []);
    const exported = JSON.parse(await runBurgeeOrThrow(['export', '--data-dir', dataDir]));
    test.match(exported.personalProjects, [{ name: 'hobby', owner: 'alone@example.test' }]);
    test.equal(exported.organisations[0].projects[0].flags[0].environments.production.enabled, false);
  });
}

for (const name of fixtures) {
  t.test(`${name} can be read, each record as it was written`, async (test) => {
    const reason = await skipReason(test);
    if (reason !== false) {
      test.pass(reason, { skip: reason });
      return;
    }
    const directory = copyOf(test, name);
    test.same([...checkStore(directory)], []);
    const file = join(directory, 'records.json');
    if (existsSync(file)) {
      const { records, rewritten } = await everyRecordOf(directory);
      // Fields that were added later may be there too.
      test.hasStrict(records, JSON.parse(readFileSync(file, 'utf8')));
      test.same(rewritten, [], 'each record would be written with the same bytes');
    }
  });
}

t.test('every database of the present format has a record in a fixture', async (test) => {
  const reason = await skipReason(test);
  if (reason !== false) {
    test.pass(reason, { skip: reason });
    return;
  }
  const filled = new Set<string>();
  for (const name of fixtures) {
    const { counts } = await everyRecordOf(copyOf(test, name));
    for (const [database, entries] of counts) if (entries > 0) filled.add(database);
  }
  const empty = databaseNames.filter((database) => !filled.has(database));
  test.same(empty, [], 'a new database needs a fixture: make-store-fixture.ts');
});

function copyOf(test: Test, name: string): string {
  const directory = join(temporaryDirectory(test), 'data');
  cpSync(join(folder, name), directory, { recursive: true });
  return directory;
}
