import { dataFileOf, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { openThroughGate } from '../../../src/storage/lmdb/opening-gate.ts';
import { mapBytes } from './sample-store.ts';

/**
 * Repeatedly opens and closes the data file of the directory given as its argument, as commands beside a server do,
 * until it is killed.
 */
const [directory = ''] = process.argv.slice(2);
const path = dataFileOf(directory);
for (let count = 1; ; count += 1) {
  const root = openThroughGate(path, () => openEnvironment({ directory, mapBytes, isReadOnly: true }));
  await root.close();
  process.stdout.write(`${count}\n`);
}
