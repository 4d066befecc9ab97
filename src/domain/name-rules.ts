import { hasAtMostCodePoints, isWellFormed } from '../support/code-points.ts';
import type { ProblemList } from './problem-list.ts';

export const nameCodePointsMax = 200;

/** Whether something can have this name: trimmed, 1 to 200 characters, no control characters (decisions). */
export function isName(name: string): boolean {
  return name.trim() === name && name !== '' && isShort(name) && !hasControlCharacter(name);
}

/** Adds what keeps a name, already trimmed, from being one. @param field how a message calls it. */
export function addNameProblems(name: string, field: string, problems: ProblemList): void {
  if (name === '' || !isShort(name)) {
    problems.add(() => `${field} must be 1 to ${nameCodePointsMax} characters after trimming`);
  }
  if (hasControlCharacter(name)) problems.add(() => `${field} must not have control characters`);
}

/** @returns the name of a project or an audience, trimmed; what is wrong with it is added. */
export function readName(sent: string, problems: ProblemList): string {
  const name = sent.trim();
  addNameProblems(name, 'name', problems);
  if (!isWellFormed(name)) problems.add(() => 'name must be valid Unicode: it has a lone surrogate');
  return name;
}

function isShort(name: string): boolean {
  return hasAtMostCodePoints(name, nameCodePointsMax);
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
