import type { Flag, FlagState } from './flag.ts';
import { initialState } from './flag.ts';
import { areSameCohorts } from './state-changes.ts';

/**
 * The environments whose answers a change may have changed: their states differ, or a field of the flag that all of
 * them share.
 * @param before null: the flag is new @param after null: it is deleted
 * @returns numbers of environments; null: all
 */
export function changedEnvironments(before: Flag | null, after: Flag | null): readonly number[] | null {
  if (before === null || after === null) return null;
  if (before.name !== after.name || !isSameList(before.cohorts, after.cohorts)) return null;
  const numbers = new Set([...before.states.keys(), ...after.states.keys()]);
  return [...numbers].filter(
    (number) =>
      !isSameState(before.states.get(number) ?? initialState, after.states.get(number) ?? initialState),
  );
}

function isSameState(left: FlagState, right: FlagState): boolean {
  return (
    left.enabled === right.enabled &&
    left.trafficPercentage === right.trafficPercentage &&
    left.audienceId === right.audienceId &&
    isSameList(left.cohortOverride, right.cohortOverride)
  );
}

function isSameList(left: readonly string[] | null, right: readonly string[] | null): boolean {
  if (left === right) return true;
  return left !== null && right !== null && areSameCohorts(left, right);
}
