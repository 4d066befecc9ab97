import type { FlagsSearch } from '../../app/searches.ts';

/** A cell of the list: a flag's, or one of the header; and the column. */
export interface ListCell {
  /** Null: the header. */
  readonly flagId: string | null;
  /** An environment's number, or another column. */
  readonly column: number | 'favourite' | 'name' | 'changed';
}

/** How a project's list was left: the person who comes back finds it as it was. */
export interface ListPlace {
  readonly search: FlagsSearch;
  top: number;
  left: number;
  /** The cell that had the focus last. */
  cell: ListCell | null;
}

/** Of more projects, the one that was opened first is forgotten. */
const placesMax = 50;
const places = new Map<string, ListPlace>();

function isSame(one: FlagsSearch, other: FlagsSearch): boolean {
  const [left, right] = [one, other].map(({ create: _, ...search }) => Object.entries(search).sort());
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The place in the list with these filters: as it was left, or its beginning. */
export function placeIn(projectId: string, search: FlagsSearch): ListPlace {
  const known = places.get(projectId);
  if (known !== undefined && isSame(known.search, search)) return known;
  const place = { search, top: 0, left: 0, cell: null };
  places.set(projectId, place);
  const [first] = places.keys();
  if (places.size > placesMax && first !== undefined) places.delete(first);
  return place;
}

/** The filters with which the project's list was shown last: the way back from a flag leads there. */
export function lastFlagsSearch(projectId: string): FlagsSearch {
  const { create: _, ...search } = places.get(projectId)?.search ?? {};
  return search;
}
