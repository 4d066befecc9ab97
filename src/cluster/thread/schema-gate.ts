import type { SqlConnection } from '../sql/connection.ts';
import { migrateSchema } from '../sql/schema.ts';

/**
 * Before a process asks a cluster for anything else, it takes the tables to its version, or learns that it is too old for
 * them. Once for a process: what a newer version does to the tables later is such that nodes of this one can go on, or else
 * waits until none of them is left.
 */
export class SchemaGate {
  readonly #onMigrated: (versions: { readonly from: number; readonly to: number }) => void;
  #isPassed = false;

  constructor(onMigrated: (versions: { readonly from: number; readonly to: number }) => void) {
    this.#onMigrated = onMigrated;
  }

  /** @throws NoClusterError, NewerSchemaError */
  async pass(connection: SqlConnection): Promise<void> {
    if (this.#isPassed) return;
    const versions = await migrateSchema(connection);
    this.#isPassed = true;
    if (versions.from !== versions.to) this.#onMigrated(versions);
  }
}
