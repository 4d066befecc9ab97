import { describeKey } from './keys/describe-key.ts';
import type { DatabaseName } from './keys.ts';

/** What lies on disk is not what was written: a wrong checksum, an unknown format version, a missing record. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly database: DatabaseName;
  readonly key: string;
  /** The sentence without the place. */
  readonly what: string;

  constructor(database: DatabaseName, key: Uint8Array, what: string, options?: ErrorOptions) {
    super(`Damaged record ${database}/${describeKey(key)}: ${what}`, options);
    this.database = database;
    this.key = describeKey(key);
    this.what = what;
  }
}
