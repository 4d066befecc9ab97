import { isWellFormed } from '../../support/code-points.ts';
import { isName } from '../name-rules.ts';

const unnamed = 'New member';

/** @returns the first of these that can be a member's name, trimmed; Admins can change it. */
export function entrantName(names: readonly string[]): string {
  const trimmed = names.map((name) => name.trim());
  return trimmed.find((name) => isName(name) && isWellFormed(name)) ?? unnamed;
}
