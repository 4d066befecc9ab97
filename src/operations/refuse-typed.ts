import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { type RefusedWith, refuse } from '../domain/outcome.ts';
import { shown } from '../domain/problem-list.ts';

/** Checks the name that is typed to confirm a deletion. @returns null when it is the stored one */
export function refuseTyped(typed: string, stored: string): RefusedWith<ConsoleProblem> | null {
  if (typed === stored) return null;
  return refuse(
    'invalid-request',
    `name must be "${shown(stored)}", exactly as stored, to confirm the deletion`,
  );
}
