import { describeKey } from '../keys/describe-key.ts';
import type { DatabaseName } from '../keys.ts';

/** Something in the store that does not hold. */
export interface Finding {
  /** Database and key. */
  readonly where: string;
  readonly what: string;
}

export function findingAt(database: DatabaseName, key: Uint8Array, what: string): Finding {
  return { where: `${database}/${describeKey(key)}`, what };
}
