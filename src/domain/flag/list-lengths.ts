import type { Flag } from './flag.ts';

/**
 * Characters (UTF-16 units) of all lists of a flag together, where each cohort counts one more: eight lists as long as a
 * request's body. Whoever changes a flag reads all of its lists.
 */
export const flagListsMax = 8 * 1024 * 1024;

/**
 * A flag that is longer already stays changeable, as long as its lists do not grow.
 * @returns what to say of a change that makes the lists of a flag too long together; null: it does not
 */
export function describeLongLists(before: Flag, after: Flag): string | null {
  const length = listsLength(after);
  if (length <= flagListsMax || length <= listsLength(before)) return null;
  const most = flagListsMax.toLocaleString('en-US');
  return `the cohorts of this flag in all environments together must have at most ${most} characters, each cohort counting one more, and would have ${length.toLocaleString('en-US')}: shorten a list, or use an audience`;
}

function listsLength({ cohorts, states }: Flag): number {
  let length = listLength(cohorts);
  for (const { cohortOverride } of states.values()) length += listLength(cohortOverride ?? []);
  return length;
}

function listLength(cohorts: readonly string[]): number {
  return cohorts.reduce((sum, cohort) => sum + cohort.length + 1, 0);
}
