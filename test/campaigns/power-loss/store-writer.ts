import { openSync } from 'node:fs';
import { openStore } from '../../../src/storage/store.ts';
import { createRandom } from '../../support/random.ts';
import { markDisk } from '../disk/disk-shim.ts';
import { StoreModel } from './model.ts';

/*
 * Creates a store and commits to it, with a mark after each commit that the store has acknowledged: what it must hold
 * from then on. Arguments: directory, file of the record, seed, commits.
 */
const [directory = '', record = '', seed = '', commits = ''] = process.argv.slice(2);
const descriptor = openSync(record, 'a');
const model = new StoreModel(createRandom(Number(seed)));
const store = openStore({ directory, mapBytes: 2 ** 30 });
markDisk(descriptor, 'created');
for (let number = 0; number < Number(commits); number += 1) {
  const changes = number === 0 ? model.first() : model.next();
  store.write(({ apply }) => apply(changes));
  markDisk(descriptor, model.digest());
}
// Closing would sync; the end comes as the power left it.
process.kill(process.pid, 'SIGKILL');
