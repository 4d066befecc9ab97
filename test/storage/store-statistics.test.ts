import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { openStore } from '../../src/storage/store.ts';
import { readStatistics } from '../../src/storage/store-statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { organisationOf } from './support/records.ts';
import { mapBytes } from './support/sample-store.ts';

/** A process that keeps a snapshot. */
async function reading(test: Test, directory: string) {
  const entry = fileURLToPath(new URL('./support/pinning-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  test.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, kill };
}

function commit(store: ReturnType<typeof openStore>, times: number): void {
  for (let time = 0; time < times; time += 1) {
    store.write(({ apply }) => apply([{ kind: 'organisation', before: null, after: organisationOf() }]));
  }
}

t.test('a reader with an old snapshot is listed, and the next write forgets a killed one', async (test) => {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes, deadReadersEveryMs: 0 });
  test.teardown(() => store.close());
  commit(store, 1);
  const { pid, kill } = await reading(test, directory);
  commit(store, 5);
  test.strictSame(readStatistics(directory).readers, { open: 1, oldestLagCommits: 5, oldestPid: pid });
  const grownBy = (commits: number): number => {
    const before = statSync(dataFileOf(directory)).size;
    commit(store, commits);
    return statSync(dataFileOf(directory)).size - before;
  };
  const grownWhileRead = grownBy(200);
  await kill();
  commit(store, 2);
  const grownAfter = grownBy(200);
  test.ok(grownAfter * 4 < grownWhileRead, `${grownAfter} bytes, and ${grownWhileRead} while it was read`);
});
