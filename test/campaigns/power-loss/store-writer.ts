import { openSync } from 'node:fs';
import { openStore } from '../../../src/storage/store.ts';
import { createRandom } from '../../support/random.ts';
import { markDisk } from '../disk/disk-shim.ts';
import { StoreModel } from './model.ts';

/*
 * Creates a store and commits to it. After each acknowledged commit it adds a mark to the record: from then on the
 * store must hold that commit. Once there are many audit entries, each commit drops the oldest ones. Arguments: directory, file of the record, seed, number of commits.
 */
const [directory = '', record = '', seed = '', commits = ''] = process.argv.slice(2);
const descriptor = openSync(record, 'a');
const model = new StoreModel(createRandom(Number(seed)));
const store = openStore({ directory, mapBytes: 2 ** 30 });
markDisk(descriptor, 'created');
for (let number = 0; number < Number(commits); number += 1) {
  const changes = number === 0 ? model.first() : model.next();
  store.write(({ apply, dropAuditEntries }) => {
    apply(changes);
    if (model.auditKeptFrom > 0) dropAuditEntries(model.auditKeptFrom);
  });
  markDisk(descriptor, model.digest());
}
// Ends without closing the store, because closing would sync.
process.kill(process.pid, 'SIGKILL');
