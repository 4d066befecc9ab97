import type { FlagsSearch } from '../../app/searches.ts';

/** A cell of the list: a flag's, or one of the header; and the column. */
export interface ListCell {
  /** Null: the header. */
  readonly flagId: string | null;
  /** An environment's number, or another column. */
  readonly column: number | 'favourite' | 'name' | 'changed';
}

/** Filters, scroll position and focus of a project's list, restored when the member comes back. */
export interface ListView {
  readonly search: FlagsSearch;
  top: number;
  left: number;
  /** The cell that had the focus last. */
  cell: ListCell | null;
}

/** The oldest entry beyond this is evicted. */
const viewsMax = 50;
const views = new Map<string, ListView>();

function isSame(one: FlagsSearch, other: FlagsSearch): boolean {
  const [left, right] = [one, other].map(({ create: _, ...search }) => Object.entries(search).sort());
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The state of the list with these filters: as it was left, or its beginning. */
export function listViewOf(projectId: string, search: FlagsSearch): ListView {
  const known = views.get(projectId);
  if (known !== undefined && isSame(known.search, search)) return known;
  const view = { search, top: 0, left: 0, cell: null };
  views.set(projectId, view);
  const [first] = views.keys();
  if (views.size > viewsMax && first !== undefined) views.delete(first);
  return view;
}

/** The filters with which the project's list was shown last: the way back from a flag leads there. */
export function lastFlagsSearch(projectId: string): FlagsSearch {
  const { create: _, ...search } = views.get(projectId)?.search ?? {};
  return search;
}
