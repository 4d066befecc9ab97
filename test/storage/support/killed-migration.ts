import { writeSync } from 'node:fs';
import { openStore } from '../../../src/storage/store.ts';
import { mapBytes } from './sample-store.ts';
import { renameAll } from './test-migrations.ts';

/** Migrates the directory given as its argument, and is killed before the transaction's end. */
openStore({ directory: process.argv[2] ?? '', mapBytes }, [
  {
    ...renameAll,
    migrate(databases) {
      renameAll.migrate(databases);
      writeSync(1, 'every organisation is renamed\n');
      process.kill(process.pid, 'SIGKILL');
    },
  },
]);
