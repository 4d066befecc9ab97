import { cohortCodePointsMax } from '../../../domain/flag/state-fields.ts';

/** Cohorts as people paste them: one a line, or separated by commas. Each once, in the order given. */
export function parseCohorts(text: string): string[] {
  const parts = text.split(/[\n\r,]+/).map((part) => part.trim());
  return Array.from(new Set(parts.filter((part) => part !== '')));
}

/** The first that is too long to be a cohort. */
export function tooLongCohort(cohorts: readonly string[]): string | undefined {
  return cohorts.find((cohort) => Array.from(cohort).length > cohortCodePointsMax);
}

/** What was there, and then what is new. */
export function withCohorts(present: readonly string[], added: readonly string[]): string[] {
  return Array.from(new Set([...present, ...added]));
}
