import type { SqlConnection } from '../sql/connection.ts';
import { migrateSchema } from '../sql/schema.ts';

/**
 * Before anything else a process migrates the cluster's tables to its version, or finds that it is too old for them.
 * Once per process is enough: later migrations by a newer version keep nodes of this one working.
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
