import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { databaseNames } from '../../../src/storage/keys.ts';
import { inspectDataFile } from '../../../src/storage/lmdb/data-file.ts';
import {
  createDatabases,
  type Database,
  dataFileOf,
  openEnvironment,
} from '../../../src/storage/lmdb/environment.ts';
import { readHead } from '../../../src/storage/lmdb/page-format.ts';
import { openStore } from '../../../src/storage/store.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { addUnwrittenPages, pageBytesIn } from '../support/data-file-head.ts';
import { pagesInUse } from '../support/data-pages.ts';
import { flagChangeOf, flagOf } from '../support/records.ts';
import { mapBytes } from '../support/sample-store.ts';

interface TreeStatistics {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Flags in three levels of pages, some with values of many pages, some written twice and some deleted. */
async function variedStore(directory: string): Promise<void> {
  const store = openStore({ directory, mapBytes });
  const projectId = newId();
  const flags = Array.from({ length: 3000 }, (_, index) =>
    flagOf(projectId, { name: `flag ${index}`, cohorts: index % 100 === 0 ? ['x'.repeat(20_000)] : [] }),
  );
  store.write(({ apply }) => apply(flags.map((flag) => flagChangeOf(null, flag))));
  for (const flag of flags.slice(0, 200)) store.write(({ apply }) => apply([flagChangeOf(flag, null)]));
  await store.close();
}

function pagesOf(table: Database): number {
  const { treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as TreeStatistics;
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

t.test('the walk over pages in use finds exactly the pages that lmdb counts', async (test) => {
  const directory = temporaryDirectory(test);
  await variedStore(directory);
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  const tables = createDatabases(root);
  const counted = databaseNames.map((name) => pagesOf(tables[name])).reduce((sum, pages) => sum + pages);
  const { free, ...main } = root.getStats() as TreeStatistics & { readonly free: TreeStatistics };
  const own = [free, main].map((it) => it.treeBranchPageCount + it.treeLeafPageCount + it.overflowPages);
  await root.close();
  const walked = new Set<number>();
  for (const { first, pages } of walkOf(dataFileOf(directory))) {
    for (let page = first; page < first + pages; page += 1) walked.add(page);
  }
  test.equal(walked.size, counted + (own[0] ?? 0) + (own[1] ?? 0));
  test.ok(counted > 250);
});

function walkOf(path: string) {
  const descriptor = openSync(path, 'r');
  const head = readHead(descriptor);
  const runs = head === null ? [] : Array.from(pagesInUse(descriptor, head));
  closeSync(descriptor);
  return runs;
}

t.test('a file whose last pages are free and were never written is complete', async (test) => {
  const directory = temporaryDirectory(test);
  await variedStore(directory);
  const path = dataFileOf(directory);
  const bytes = readFileSync(path);
  addUnwrittenPages(bytes, 50n);
  writeFileSync(path, bytes);
  test.equal(inspectDataFile(path), 'usable');
  const store = openStore({ directory, mapBytes });
  const flag = flagOf(newId(), { cohorts: ['x'.repeat(1_000_000)] });
  store.write(({ apply }) => apply([flagChangeOf(null, flag)]));
  test.strictSame(
    store.write(({ queries }) => queries.flag(flag.id)),
    flag,
  );
  await store.close();
  test.equal(inspectDataFile(path), 'usable');
});

t.test('a file that lost a page in use is truncated', async (test) => {
  const directory = temporaryDirectory(test);
  await variedStore(directory);
  const path = dataFileOf(directory);
  const file = readFileSync(path);
  const end = Math.max(...walkOf(path).map(({ first, pages }) => first + pages));
  writeFileSync(path, file.subarray(0, end * pageBytesIn(file) - 1));
  test.equal(inspectDataFile(path), 'truncated');
});
