import type { FoundFlag } from '../../domain/record-queries.ts';

/** @returns the project id in a flag's record, unverified */
export function projectNamedBy(found: FoundFlag): unknown {
  return found.begin(2)[1];
}
