import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tryLock, unlock } from 'fs-native-extensions';
import t, { type Test } from 'tap';
import { checkStore } from '../../../src/storage/check.ts';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { gateByte, wantedByte } from '../../../src/storage/lmdb/opening-gate.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { newId } from '../../../src/support/random-id.ts';
import { createRandom } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf } from '../support/records.ts';
import { mapBytes, newStore } from '../support/sample-store.ts';

const writing = new URL('../support/endless-writer.js', import.meta.url);
const opening = new URL('../support/opening-process.js', import.meta.url);

interface Program {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** The newest number that the process has written. */
  readonly count: () => number;
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

function start(test: Test, entry: URL, ...arguments_: readonly string[]): Program {
  const child = spawn(process.execPath, [fileURLToPath(entry), ...arguments_], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  test.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    count = Number(line);
  });
  return { child, count: () => count, ended };
}

function isRunning({ child }: Program): boolean {
  return child.exitCode === null && child.signalCode === null;
}

t.setTimeout(120_000);

/** A stop hits a random moment of an opening: of a thousand, some hit the critical one. */
const stops = 1000;
const openingsMin = 50;
const stoppedMs = 5;
const betweenMs = 3;
const random = createRandom(1);

t.test('commits during the opening by another process are kept', async (test) => {
  const directory = temporaryDirectory(test);
  const projectId = newId();
  const writer = start(test, writing, directory, projectId);
  await once(writer.child.stdout, 'data');
  const opener = start(test, opening, directory);
  await once(opener.child.stdout, 'data');
  const begun = opener.count();
  for (let stop = 0; stop < stops && isRunning(writer); stop += 1) {
    await setTimeout(betweenMs * random.next());
    opener.child.kill('SIGSTOP');
    await setTimeout(stoppedMs);
    opener.child.kill('SIGCONT');
  }
  test.ok(opener.count() > begun + openingsMin, `it was opened ${opener.count()} times`);
  const acknowledged = writer.count();
  test.ok(acknowledged > 0, `${acknowledged} transactions were acknowledged`);
  writer.child.kill('SIGTERM');
  test.same(await writer.ended, [null, 'SIGTERM'], 'the process wrote until it was ended');
  opener.child.kill('SIGKILL');
  await opener.ended;

  const reader = openStoreReader({ directory, mapBytes });
  test.teardown(() => reader.close());
  const revisions = Array.from(reader.queries.flagsOf(projectId), ({ revision }) => revision);
  test.ok(revisions.length >= acknowledged, `${revisions.length} are there`);
  test.same(
    revisions.sort((left, right) => left - right),
    revisions.map((_, index) => index + 1),
    'without a gap',
  );
  const findings = [...checkStore(directory)].filter(({ what }) => !what.includes(`projects/${projectId}`));
  test.same(findings, []);
});

t.test('no process opens the store within a transaction', async (test) => {
  const { directory, store } = newStore(test);
  const probe = probeOf(test, directory);
  const isFree = () => tryLock(probe, gateByte, 1, { shared: true });
  test.equal(
    store.write(() => isFree()),
    false,
  );
  test.equal(isFree(), true);
});

t.test('the writer gives up if another process hangs while it opens', async (test) => {
  const { directory, store } = newStore(test);
  const entry = auditEntryOf(newId());
  const write = () => store.write(({ apply }) => apply([{ kind: 'audit', entry }]));
  const probe = probeOf(test, directory);
  for (const byte of [wantedByte, gateByte]) {
    test.equal(tryLock(probe, byte, 1, { shared: true }), true);
    test.throws(write, /Another process is opening .* nothing can be written/);
    unlock(probe, byte, 1);
    test.doesNotThrow(write, 'the gate is free again');
  }
});

/** A descriptor of the data file, as an opening process has one. */
function probeOf(test: Test, directory: string): number {
  const probe = openSync(dataFileOf(directory), 'r');
  test.teardown(() => closeSync(probe));
  return probe;
}
