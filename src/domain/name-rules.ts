import { hasAtMostCodePoints, isWellFormed } from '../support/code-points.ts';
import type { ProblemList } from './problem-list.ts';

export const nameCodePointsMax = 200;

/** A rule for new names; stored names may break it. */
export const layoutProblem = 'must not have line separators or characters that turn the direction of text';

/** Whether a new record can have this name: one that can be stored, and stays in its line and direction of text. */
export function isName(name: string): boolean {
  return isStorableName(name) && !hasLayoutCharacter(name);
}

/**
 * Whether a stored record may have this name: trimmed, 1 to 200 characters, no control characters (decisions). Earlier
 * versions accepted more than new names may have: such records are found, exported and applied as they are.
 */
export function isStorableName(name: string): boolean {
  return name.trim() === name && name !== '' && isShort(name) && !hasControlCharacter(name);
}

/** Adds the problems of a name, already trimmed. @param field its name in messages. */
export function addNameProblems(name: string, field: string, problems: ProblemList): void {
  if (name === '' || !isShort(name)) {
    problems.add(() => `${field} must be 1 to ${nameCodePointsMax} characters after trimming`);
  }
  addCharacterProblems(name, field, problems);
}

/** Adds the problems of a text that must stay in one line. */
export function addCharacterProblems(text: string, field: string, problems: ProblemList): void {
  if (hasControlCharacter(text)) problems.add(() => `${field} must not have control characters`);
  if (hasLayoutCharacter(text)) {
    problems.add(() => `${field} ${layoutProblem}`);
  }
}

/**
 * @param before the present name: sent again, it is no new name
 * @param field its name in messages
 * @returns the name of a project, an audience, a member or an organisation, trimmed; adds its problems.
 */
export function readName(
  sent: string,
  problems: ProblemList,
  before: string | null = null,
  field = 'name',
): string {
  const name = sent.trim();
  if (name === before) return name;
  addNameProblems(name, field, problems);
  if (!isWellFormed(name)) problems.add(() => `${field} must be valid Unicode: it has a lone surrogate`);
  return name;
}

/** @returns the first character that no new name may have; null for none. */
export function unfitCharacter(text: string): string | null {
  const isUnfit = (character: string) => hasControlCharacter(character) || hasLayoutCharacter(character);
  return Array.from(text).find(isUnfit) ?? null;
}

function isShort(name: string): boolean {
  return hasAtMostCodePoints(name, nameCodePointsMax);
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** Joiners are allowed: emoji and scripts need them. */
function hasLayoutCharacter(text: string): boolean {
  return /[\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text);
}
