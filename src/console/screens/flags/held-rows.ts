import type { FlagItem } from '../../client/flag-list.ts';

/**
 * Rows in the order in which they were shown: also those that the filters no longer want, without deleted ones, and new
 * ones at the end.
 *
 * @param rows as filters and order want them
 * @param shown as they are on the page
 * @param all every flag
 * @returns `rows` itself where nothing differs
 */
export function inShownOrder(
  rows: readonly FlagItem[],
  shown: readonly FlagItem[],
  all: readonly FlagItem[],
): readonly FlagItem[] {
  if (rows.length === shown.length && rows.every(({ id }, place) => id === shown[place]?.id)) return rows;
  const present = new Map(all.map((flag) => [flag.id, flag]));
  const kept = shown.flatMap(({ id }) => present.get(id) ?? []);
  const ids = new Set(kept.map(({ id }) => id));
  const held = [...kept, ...rows.filter(({ id }) => !ids.has(id))];
  const isSame = held.length === rows.length && held.every((flag, place) => flag === rows[place]);
  return isSame ? rows : held;
}
