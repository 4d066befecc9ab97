import { dataFileOf, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { openThroughGate } from '../../../src/storage/lmdb/opening-gate.ts';
import { mapBytes } from './sample-store.ts';

/**
 * Opens and closes the data file of the directory named as its argument, as every command beside a server does, again and
 * again until it is killed.
 */
const [directory = ''] = process.argv.slice(2);
const path = dataFileOf(directory);
for (let count = 1; ; count += 1) {
  const root = openThroughGate(path, () => openEnvironment({ directory, mapBytes, isReadOnly: true }));
  await root.close();
  process.stdout.write(`${count}\n`);
}
