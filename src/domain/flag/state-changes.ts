import type { AuditChange } from '../audit/audit-entry.ts';
import type { FlagState } from './flag.ts';

/** Compares elements in order: a list in another order is another list (decisions). */
export function areSameCohorts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((cohort, index) => cohort === right[index]);
}

/**
 * The difference of two stored states for the audit log; empty when they are the same. `cohorts` is the environment's
 * own list, and `[]` means that it inherits, as in a patch.
 */
export function stateChanges(before: FlagState, after: FlagState): AuditChange[] {
  return stateFieldChanges(before, after).filter(({ before: left, after: right }) => !isSame(left, right));
}

/** The four fields of a state that did not exist before. */
export function newStateChanges(after: FlagState): AuditChange[] {
  return stateFieldChanges(after, after).map((change) => ({ ...change, before: null }));
}

function stateFieldChanges(before: FlagState, after: FlagState): AuditChange[] {
  return [
    { field: 'enabled', before: before.enabled, after: after.enabled },
    { field: 'trafficPercentage', before: before.trafficPercentage, after: after.trafficPercentage },
    { field: 'cohorts', before: before.cohortOverride ?? [], after: after.cohortOverride ?? [] },
    { field: 'audienceId', before: before.audienceId, after: after.audienceId },
  ];
}

function isSame(left: unknown, right: unknown): boolean {
  return Array.isArray(left) && Array.isArray(right) ? areSameCohorts(left, right) : left === right;
}
