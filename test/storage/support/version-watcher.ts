import { parentPort, workerData } from 'node:worker_threads';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { isUnsettled, StoreVersion } from '../../../src/support/store-version.ts';
import { mapBytes } from './sample-store.ts';

/* Reads the store without a pause until told to stop, and reports the states seen at each settled version. */

interface Watched {
  readonly directory: string;
  readonly memory: SharedArrayBuffer;
  /** Two Int32 cells: 1 in the first ends it, and it counts in the second how many versions it has seen. */
  readonly stop: SharedArrayBuffer;
}

const { directory, memory, stop } = workerData as Watched;
const reader = openStoreReader({ directory, mapBytes });
const version = new StoreVersion(memory);
const isOver = new Int32Array(stop);
const seen = new Map<number, Set<number>>();

parentPort?.postMessage('ready');
while (Atomics.load(isOver, 0) === 0) {
  const before = version.load();
  reader.renew();
  const sequence = reader.sequence();
  if (isUnsettled(before) || version.load() !== before) continue;
  const sequences = seen.get(before) ?? new Set();
  seen.set(before, sequences.add(sequence));
  Atomics.store(isOver, 1, seen.size);
}
parentPort?.postMessage(seen);
await reader.close();
