import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { mapBytes } from './sample-store.ts';

/** Keeps a snapshot of the directory given as its argument until it is killed. */
const reader = openStoreReader({ directory: process.argv[2] ?? '', mapBytes });
const { queries } = reader.pin();
process.stdout.write(`${[...queries.organisations()].length}\n`);
// Keeps a reference to the reader: otherwise the garbage collector would end its snapshot.
process.once('exit', () => void reader.close());
process.stdin.resume();
