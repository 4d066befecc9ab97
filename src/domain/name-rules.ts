import { hasAtMostCodePoints, isWellFormed } from '../support/code-points.ts';
import type { ProblemList } from './problem-list.ts';

export const nameCodePointsMax = 200;

/** What a new name must not do; said of a name that is stored already nowhere. */
export const layoutProblem = 'must not have line separators or characters that turn the direction of text';

/** Whether something new can have this name: one that can be stored, and whose text stays in its line and direction. */
export function isName(name: string): boolean {
  return isStorableName(name) && !hasLayoutCharacter(name);
}

/**
 * Whether something may have this name already: trimmed, 1 to 200 characters, no control characters (decisions). Earlier
 * versions took more than new names may have: what bears one is found, exported and applied as it is.
 */
export function isStorableName(name: string): boolean {
  return name.trim() === name && name !== '' && isShort(name) && !hasControlCharacter(name);
}

/** Adds what keeps a name, already trimmed, from being one. @param field how a message calls it. */
export function addNameProblems(name: string, field: string, problems: ProblemList): void {
  if (name === '' || !isShort(name)) {
    problems.add(() => `${field} must be 1 to ${nameCodePointsMax} characters after trimming`);
  }
  addCharacterProblems(name, field, problems);
}

/** Adds what keeps a text from standing in one line, as it is written. */
export function addCharacterProblems(text: string, field: string, problems: ProblemList): void {
  if (hasControlCharacter(text)) problems.add(() => `${field} must not have control characters`);
  if (hasLayoutCharacter(text)) {
    problems.add(() => `${field} ${layoutProblem}`);
  }
}

/**
 * @param before what it is called now: sent again, it is no new name
 * @returns the name of a project or an audience, trimmed; what is wrong with it is added.
 */
export function readName(sent: string, problems: ProblemList, before: string | null = null): string {
  const name = sent.trim();
  if (name === before) return name;
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

/** Not those that join: emoji and scripts need them. */
function hasLayoutCharacter(text: string): boolean {
  return /[\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text);
}
