import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { mapBytes } from './sample-store.ts';

/** Keeps a snapshot of the directory named as its argument until it is killed. */
const reader = openStoreReader({ directory: process.argv[2] ?? '', mapBytes });
const { queries } = reader.pin();
process.stdout.write(`${[...queries.organisations()].length}\n`);
// Nothing else would hold the reader, and the garbage collector would end its snapshot.
process.once('exit', () => void reader.close());
process.stdin.resume();
