import { deny } from '../domain/console/console-problem.ts';
import { shown } from '../domain/problem-list.ts';

/** A deletion is confirmed by the thing's name: null when it is what was typed. */
export function refuseTyped(typed: string, stored: string): ReturnType<typeof deny> | null {
  if (typed === stored) return null;
  return deny(
    'invalid-request',
    `name must be "${shown(stored)}", as it is stored: it confirms the deletion`,
  );
}
