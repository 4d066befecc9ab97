import type { Database } from '../lmdb/environment.ts';

/** The databases that a migration reads and writes, as bytes, by the names of their time. */
export interface MigratedDatabases {
  /** @throws Error for one that the migration does not list. */
  get(name: string): Database;
}

/**
 * One step of the store's format. It has its own copies of the record codecs of its time, because `tables/` moves on.
 *
 * Records of a kind whose row changes are rewritten. A database that is only added needs no step, because the writer
 * creates it (`laterDatabases`).
 */
export interface Migration {
  /** The format after the step. */
  readonly to: number;
  /** Databases that it touches; missing ones are created first. */
  readonly databases: readonly string[];
  /** Runs in one transaction with all steps. Synchronous; if it throws, the store stays as it was. */
  migrate(databases: MigratedDatabases): void;
}
