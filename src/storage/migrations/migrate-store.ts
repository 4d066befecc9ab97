import { createTable, type Root, type Table } from '../environment.ts';
import { metaKeys } from '../keys/key-parts.ts';
import { identityRecord, type StoreIdentity } from '../records/identity-record.ts';
import { backupBeforeMigration } from './backup-before-migration.ts';
import type { MigratedDatabases, Migration } from './migration.ts';
import { formatAfter } from './store-migrations.ts';

export interface MigratedStore {
  readonly identity: StoreIdentity;
  /** Where the store is as it was before. */
  readonly backup: string;
}

/**
 * Brings a store to the newest format: first a backup, then all steps and the new format in one transaction. A crash
 * anywhere leaves the old store or the new one.
 *
 * @returns null when there is nothing to do.
 * @throws StoreError when no backup can be made; whatever a step throws. Nothing has changed then.
 */
export function migrateStore(
  root: Root,
  directory: string,
  identity: StoreIdentity,
  migrations: readonly Migration[],
): MigratedStore | null {
  const steps = migrations.filter(({ to }) => to > identity.format);
  if (steps.length === 0) return null;
  const backup = backupBeforeMigration(directory, identity);
  const migrated = { id: identity.id, format: formatAfter(steps) };
  const meta = createTable(root, 'meta');
  const opened = steps.map((step) => ({ step, databases: openDatabases(root, step) }));
  root.transactionSync(() => {
    for (const { step, databases } of opened) step.migrate(databases);
    meta.putSync(metaKeys.store, identityRecord.encode(metaKeys.store, migrated));
  });
  return { identity: migrated, backup };
}

function openDatabases(root: Root, { to, databases }: Migration): MigratedDatabases {
  const tables = new Map<string, Table>(databases.map((name) => [name, createTable(root, name)]));
  return {
    get(name) {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`The migration to format ${to} does not list ${name}`);
      return table;
    },
  };
}
