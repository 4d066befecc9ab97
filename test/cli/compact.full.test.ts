import { once } from 'node:events';
import { linkSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import { openStore } from '../../src/storage/store.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { readStatistics } from '../../src/storage/store-statistics.ts';
import { newId } from '../../src/support/random-id.ts';
import {
  auditEntryOf,
  creationOf,
  flagChangeOf,
  flagOf,
  organisationOf,
  projectOf,
} from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee, runBurgeeOrThrow, spawnBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(300_000);
const mapBytes = 2 ** 30;
const flagsTotal = 400;

/** Fills a store and deletes most of it again, which leaves some megabytes of free pages and a few records. */
async function storeWithFreePages(t: Test): Promise<string> {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  const organisation = organisationOf();
  const project = projectOf(organisation.id);
  const flags = Array.from({ length: flagsTotal }, (_, at) =>
    flagOf(project.id, { name: `flag ${at}`, cohorts: [`${at}`.padStart(20_000, '0')] }),
  );
  store.write(({ apply }) => {
    apply([creationOf('organisation', organisation), creationOf('project', project)]);
    apply(flags.map((flag) => flagChangeOf(null, flag)));
    apply([{ kind: 'audit', entry: auditEntryOf(organisation.id) }]);
  });
  store.write(({ apply }) => apply(flags.slice(10).map((flag) => flagChangeOf(flag, null))));
  await store.close();
  return directory;
}

function compact(directory: string) {
  return runBurgee(['compact', '--data-dir', directory]);
}

/** The content of a directory that a compaction must not change. */
function contentOf(directory: string) {
  const { storeId, changeSequence, auditHeads, databases } = readStatistics(directory);
  return {
    storeId,
    changeSequence,
    auditHeads,
    entries: databases.map(({ name, entries }) => [name, entries]),
  };
}

function sizeOf(directory: string): number {
  return statSync(join(directory, 'burgee.mdb')).size;
}

t.test('the data file shrinks to its content, and its content stays the same', async (t) => {
  const directory = await storeWithFreePages(t);
  const [before, bytesBefore] = [contentOf(directory), sizeOf(directory)];
  const said = JSON.parse(await runBurgeeOrThrow(['compact', '--data-dir', directory]));
  t.match(said, { bytesBefore, bytesAfter: sizeOf(directory), counts: { flags: 10 } });
  t.ok(sizeOf(directory) < bytesBefore / 10, `${bytesBefore} became ${sizeOf(directory)} bytes`);
  t.strictSame(contentOf(directory), before);
  t.strictSame([...checkStore(directory)], []);
  t.equal(statSync(join(directory, 'burgee.mdb')).mode & 0o777, 0o600);
  t.strictSame(
    readdirSync(directory).filter((name) => name.includes('compact')),
    [],
    'nothing is left',
  );
  const server = await bootServer(t, { dataDir: directory });
  await server.stop();
});

t.test('a directory in use, a backup and an empty directory are refused', async (t) => {
  const directory = await storeWithFreePages(t);
  const backup = join(temporaryDirectory(t), 'backup');
  await runBurgeeOrThrow(['backup', backup, '--data-dir', directory]);
  t.match(await compact(backup), { code: 1, stderr: /is a backup/ });
  const empty = join(temporaryDirectory(t), newId());
  t.match(await compact(empty), { code: 1, stderr: /no store/ });
  const server = await bootServer(t, { dataDir: directory });
  t.match(await compact(directory), { code: 1, stderr: /is in use by process \d+/ });
  await server.stop();
});

t.test('a data file that another process reads is not compacted', async (t) => {
  const directory = await storeWithFreePages(t);
  const bytesBefore = sizeOf(directory);
  const reader = openStoreReader({ directory, mapBytes });
  t.match(await compact(directory), { code: 1, stderr: /is being read by another process/ });
  t.equal(sizeOf(directory), bytesBefore);
  await reader.close();
  t.equal((await compact(directory)).code, 0, 'and then it is compacted');
});

/** Ends a compaction with SIGKILL. @returns whether it was under way */
async function killAfter(directory: string, moment: Promise<unknown>): Promise<boolean> {
  const child = spawnBurgee(['compact', '--data-dir', directory]);
  const ended = once(child, 'close');
  await Promise.race([moment, ended]);
  child.kill('SIGKILL');
  return (await ended)[1] === 'SIGKILL';
}

t.test('kill -9 at any moment leaves a sound store, and the next compaction succeeds', async (t) => {
  const directory = await storeWithFreePages(t);
  const before = contentOf(directory);
  const probe = await storeWithFreePages(t);
  const madeAt = performance.now();
  await runBurgeeOrThrow(['compact', '--data-dir', probe]);
  const wholeMs = performance.now() - madeAt;
  let killed = 0;
  for (let step = 1; step <= 8; step += 1) {
    // The kills are spread over the duration of a compaction, because their moment is what is tested.
    if (await killAfter(directory, setTimeout((wholeMs * step) / 8))) killed += 1;
    t.strictSame(contentOf(directory), before);
    t.strictSame([...checkStore(directory)], []);
  }
  t.ok(killed >= 4, `${killed} of 8 were under way`);
  const swapped = new Promise<void>((resolve) => {
    const watcher = watch(directory, (kind, name) => {
      if (kind !== 'rename' || name !== 'burgee.mdb') return;
      watcher.close();
      resolve();
    });
    t.teardown(() => watcher.close());
  });
  await killAfter(directory, swapped);
  t.strictSame(contentOf(directory), before, 'right after the rename');
  t.strictSame([...checkStore(directory)], []);
  t.equal((await compact(directory)).code, 0);
  t.strictSame(
    readdirSync(directory).filter((name) => name.includes('compact')),
    [],
  );
  t.strictSame(contentOf(directory), before);
});

t.test(
  'a data file with a second hard link is left alone, because that link would keep the old data',
  async (t) => {
    const directory = await storeWithFreePages(t);
    const bytesBefore = sizeOf(directory);
    linkSync(join(directory, 'burgee.mdb'), join(temporaryDirectory(t), 'burgee.mdb'));
    const { code, stderr } = await compact(directory);
    t.equal(code, 1, stderr);
    t.match(stderr, /has another name/);
    t.equal(sizeOf(directory), bytesBefore);
  },
);
