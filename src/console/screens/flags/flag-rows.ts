import type { FlagItem } from '../../client/flag-list.ts';
import type { Density } from '../../parts/preferences.ts';
import type { FlagSort } from './filter-flags.ts';
import type { FlagColumn } from './flag-columns.ts';
import type { ListView } from './list-view.ts';

/** What the table shows, and the cards of a narrow window. */
export interface FlagRowsProps {
  readonly projectId: string;
  readonly rows: readonly FlagItem[];
  /** The same array as long as nothing has changed in it: rows that stay visible are not rendered again. */
  readonly columns: readonly FlagColumn[];
  /** The environment that the address names: brought into view. */
  readonly sought: number | null;
  readonly production: readonly number[];
  readonly canEdit: boolean;
  readonly density: Density;
  readonly view: ListView;
  readonly favourites: ReadonlySet<string>;
  readonly sort: FlagSort;
  readonly onSort: (sort: FlagSort) => void;
  /** The same function each time. */
  readonly onFavourite: (flagId: string, isFavourite: boolean) => void;
}
