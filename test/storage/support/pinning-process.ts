import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { mapBytes } from './sample-store.ts';

/** Keeps a snapshot of the directory named as its argument until it is killed. */
const reader = openStoreReader({ directory: process.argv[2] ?? '', mapBytes });
const { queries } = reader.pin();
process.stdout.write(`${[...queries.organisations()].length}\n`);
process.stdin.resume();
