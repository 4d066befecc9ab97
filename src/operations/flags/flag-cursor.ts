import { isName } from '../../domain/name-rules.ts';
import type { FlagPlace } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';

/** Base64 of the longest cursor: an id, and a name of 200 characters of 4 bytes. */
const cursorCharsMax = 1096;
const idLength = 20;

/**
 * A position in a project's list, opaque to clients. It names the last flag of a page, as it was then: if
 * that flag is renamed or deleted, the next page begins at the same place.
 */
export function cursorOf({ name, id }: FlagPlace): string {
  return Buffer.from(id + name).toString('base64url');
}

/** @returns null for a text that `cursorOf` never gives */
export function placeOf(cursor: string): FlagPlace | null {
  if (cursor.length > cursorCharsMax) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [id, name] = [text.slice(0, idLength), text.slice(idLength)];
  const place = { name, id };
  return isIdShaped(id) && isName(name) && cursorOf(place) === cursor ? place : null;
}
