import type { Database } from '../lmdb/environment.ts';

/** The databases that a migration reads and writes, as bytes, by the names of their own time. */
export interface MigratedDatabases {
  /** @throws Error for one that the migration does not list. */
  get(name: string): Database;
}

/**
 * One step of the store's format. It keeps what it needs of the record codecs of its time: `tables/` moves on.
 *
 * Records of a kind whose row changes are written anew; a database that is only added needs no step, because the writer
 * creates it (`laterDatabases`).
 */
export interface Migration {
  /** The format that it makes of the one before. */
  readonly to: number;
  /** Those it touches; what is missing is created first. */
  readonly databases: readonly string[];
  /** Runs within one transaction of all steps: synchronous, and what it throws leaves the store as it was. */
  migrate(databases: MigratedDatabases): void;
}
