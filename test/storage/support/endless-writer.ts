import { openStore } from '../../../src/storage/store.ts';
import { auditEntryOf, flagChangeOf, flagOf } from './records.ts';
import { mapBytes } from './sample-store.ts';

/** Writes flags of one project until it is killed, and reports how many were acknowledged. */
const [directory = '', projectId = ''] = process.argv.slice(2);
const store = openStore({ directory, mapBytes });
for (let revision = 1; ; revision += 1) {
  const flag = flagOf(projectId, { revision, cohorts: ['x'.repeat(5000)] });
  store.write(({ apply }) =>
    apply([flagChangeOf(null, flag), { kind: 'audit', entry: auditEntryOf(projectId) }]),
  );
  process.stdout.write(`${revision}\n`);
}
