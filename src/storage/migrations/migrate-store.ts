import { createDatabase, type Database, type Root } from '../lmdb/environment.ts';
import { firstFormat, identityRecord, metaKeys, type StoreIdentity } from '../tables/meta.ts';
import { backupBeforeMigration } from './backup-before-migration.ts';
import type { MigratedDatabases, Migration } from './migration.ts';

/** Every step from the first format to the present one, in order. There is only one format so far. */
export const storeMigrations: readonly Migration[] = [];

/** @returns the format to which these steps lead. */
export function formatAfter(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? firstFormat;
}

export interface MigratedStore {
  readonly identity: StoreIdentity;
  /** Path of the backup of the store before the migration. */
  readonly backup: string;
}

/**
 * Migrates a store to the newest format: first a backup, then all steps and the new format in one transaction. A crash
 * at any point leaves the old store or the new one.
 *
 * @returns null when there is nothing to do.
 * @throws StoreError when no backup can be made; what a step throws. Then nothing has changed.
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
  const meta = createDatabase(root, 'meta');
  const opened = steps.map((step) => ({ step, databases: openDatabases(root, step) }));
  root.transactionSync(() => {
    for (const { step, databases } of opened) step.migrate(databases);
    meta.putSync(metaKeys.store, identityRecord.encode(metaKeys.store, migrated));
  });
  return { identity: migrated, backup };
}

function openDatabases(root: Root, { to, databases }: Migration): MigratedDatabases {
  const opened = new Map<string, Database>(databases.map((name) => [name, createDatabase(root, name)]));
  return {
    get(name) {
      const database = opened.get(name);
      if (database === undefined) throw new Error(`The migration to format ${to} does not list ${name}`);
      return database;
    },
  };
}
