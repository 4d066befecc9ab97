import { areSameCohorts } from './state-changes.ts';

/**
 * What a sent list does to an environment's own. An empty list inherits; a list equal to the inherited one creates no
 * override where none is stored (specification, transitions).
 *
 * @param inherited the flag-wide list that applies without an override.
 */
export function overrideAfter(
  before: readonly string[] | null,
  sent: readonly string[],
  inherited: readonly string[],
): readonly string[] | null {
  if (sent.length === 0) return null;
  return before === null && areSameCohorts(inherited, sent) ? null : sent;
}
