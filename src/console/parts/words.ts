import { environmentNameCharsMax } from '../../domain/bounds.ts';
import { formatDay } from './format-time.ts';

/** A whole number with commas between its thousands. By hand: a browser's first call of `toLocaleString` is slow. */
export function numberWords(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 change`, `3 changes`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${numberWords(count)} ${count === 1 ? one : many}`;
}

/** A role with a capital letter: `Owner`. */
export function roleWord(role: string): string {
  return `${role.slice(0, 1).toUpperCase()}${role.slice(1)}`;
}

/** The rule for names of environments (decisions). */
export const environmentNameHint = `Lower-case letters, digits, - _ . (max ${environmentNameCharsMax}).`;

/** A token's permission in words. */
export function permissionWords(permission: unknown): string {
  return permission === 'write' ? 'read and write' : 'read';
}

/** @param expiresAt Unix milliseconds; 0 is never */
export function expiryWords(expiresAt: number): string {
  return expiresAt === 0 ? 'never' : formatDay(expiresAt);
}

/** The words of a search in lower case: a match contains each of them. */
export function searchedWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
