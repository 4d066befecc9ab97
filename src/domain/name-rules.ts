import { hasAtMostCodePoints, isWellFormed } from '../support/code-points.ts';
import { nameCodePointsMax } from './bounds.ts';
import type { ProblemList } from './problem-list.ts';

/** Whether a record can have this name: trimmed, of 1 to 200 characters, and none that breaks its line (decisions). */
export function isName(name: string): boolean {
  return name.trim() === name && name !== '' && isShort(name) && unfitCharacter(name) === null;
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
    problems.add(
      () => `${field} must not have line separators or characters that turn the direction of text`,
    );
  }
}

/**
 * @param field its name in messages
 * @returns the name of a project, an audience, a member or an organisation, trimmed; adds its problems.
 */
export function readName(sent: string, problems: ProblemList, field = 'name'): string {
  const name = sent.trim();
  addNameProblems(name, field, problems);
  if (!isWellFormed(name)) problems.add(() => `${field} must be valid Unicode: it has a lone surrogate`);
  return name;
}

/** @returns the first character that no name may have; null for none. */
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
