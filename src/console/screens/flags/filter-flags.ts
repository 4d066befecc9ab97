import type { StateKind } from '../../../contracts/console/flag-views.ts';
import { findsId } from '../../../domain/console/finds-id.ts';
import { type Reach, reachOf } from '../../../domain/flag/reach.ts';
import type { FlagsSearch } from '../../app/searches.ts';
import { type FlagItem, listedState } from '../../client/flag-list.ts';
import { parseValues, writtenValue } from '../../parts/value-text.ts';
import { searchedWords } from '../../parts/words.ts';

const reachesOfFilter: Readonly<Record<NonNullable<FlagsSearch['state']>, readonly Reach[]>> = {
  on: ['nobody', 'some', 'all'],
  off: ['off'],
  nobody: ['nobody'],
};

function stateTest({ state, environment }: FlagsSearch): ((flag: FlagItem) => boolean) | null {
  if (state === undefined) return null;
  const wanted = reachesOfFilter[state];
  const isWanted = ({ cohortCount }: FlagItem, kind: StateKind | undefined) =>
    kind !== undefined && wanted.includes(reachOf(kind, cohortCount));
  if (environment !== undefined) return (flag) => isWanted(flag, listedState(flag, Number(environment)));
  return (flag) => flag.states.some((kind) => isWanted(flag, flag.page.kinds[kind]));
}

/** The tags of a search: a flag must have all of them. */
export function chosenTags({ tag }: FlagsSearch): readonly string[] {
  return tag === undefined ? [] : parseValues(tag);
}

/** Tags as the address has them. */
export function writtenTags(tags: readonly string[]): string {
  return tags.map(writtenValue).join(',');
}

/**
 * The flags that pass every filter, in their order. Each word of the search must occur in name, description or tags, or
 * find the id; a state is that of the chosen environment, or of any.
 */
function filtered(
  flags: readonly FlagItem[],
  search: FlagsSearch,
  favourites: ReadonlySet<string>,
): FlagItem[] {
  const words = searchedWords(search.q ?? '');
  const tags = chosenTags(search);
  const hasState = stateTest(search);
  return flags.filter(
    (flag) =>
      words.every((word) => flag.words.includes(word) || findsId(word, flag.id)) &&
      tags.every((tag) => flag.tags.includes(tag)) &&
      (search.favourites === undefined || favourites.has(flag.id)) &&
      (hasState === null || hasState(flag)),
  );
}

/** How much a state answers true: the higher, the more. */
function weightOf(flag: FlagItem, environment: number): number {
  const kind = listedState(flag, environment);
  if (kind === undefined) return -2;
  const reach = reachOf(kind, flag.cohortCount);
  if (reach === 'off') return -1;
  return reach === 'all' ? 101 : kind.trafficPercentage;
}

export interface FlagSort {
  /** The highest first: newest change, or on for the most callers, in production or in one environment. */
  readonly by: 'name' | 'changed' | 'production' | number;
  readonly isReversed: boolean;
}

/** @param sort of the address; what is no sort means by name */
export function sortOf(sort: string | undefined): FlagSort {
  const isReversed = sort?.startsWith('-') === true;
  const by = isReversed ? sort.slice(1) : sort;
  if (by === 'changed' || by === 'production') return { by, isReversed };
  const environment = /^environment-(\d{1,9})$/.exec(by ?? '')?.[1];
  if (environment !== undefined) return { by: Number(environment), isReversed };
  return { by: 'name', isReversed: by === 'name' && isReversed };
}

/** The sort as the address has it; undefined for the first one. */
export function writtenSort({ by, isReversed }: FlagSort): string | undefined {
  if (by === 'name' && !isReversed) return undefined;
  return `${isReversed ? '-' : ''}${typeof by === 'number' ? `environment-${by}` : by}`;
}

/** A number for each flag, those with the highest first; null: by name. */
function rankOf({ by }: FlagSort, production: readonly number[]): ((flag: FlagItem) => number) | null {
  if (by === 'name') return null;
  if (by === 'changed') return ({ updatedAt }) => updatedAt;
  if (by !== 'production') return (flag) => weightOf(flag, by);
  return (flag) => production.reduce((most, environment) => Math.max(most, weightOf(flag, environment)), -2);
}

function byNameOrder({ nameOrder: left }: FlagItem, { nameOrder: right }: FlagItem): number {
  return left < right ? -1 : Number(left > right);
}

/** Flags of the same rank are by name. */
function sorted(flags: FlagItem[], sort: FlagSort, production: readonly number[]): FlagItem[] {
  const rank = rankOf(sort, production);
  flags.sort(byNameOrder);
  if (rank === null) return sort.isReversed ? flags.reverse() : flags;
  const ranks = new Map(flags.map((flag) => [flag, rank(flag)]));
  const sign = sort.isReversed ? -1 : 1;
  return flags.sort((left, right) => sign * ((ranks.get(right) ?? 0) - (ranks.get(left) ?? 0)));
}

interface Wanted {
  readonly search: FlagsSearch;
  readonly favourites: ReadonlySet<string>;
  /** Numbers of the environments that are production. */
  readonly production: readonly number[];
}

/** The flags of a page: filtered and sorted, favourites first. @param flags by name */
export function chosenFlags(flags: readonly FlagItem[], wanted: Wanted): readonly FlagItem[] {
  const { search, favourites, production } = wanted;
  const chosen = sorted(filtered(flags, search, favourites), sortOf(search.sort), production);
  if (favourites.size === 0) return chosen;
  const isFavourite = ({ id }: FlagItem) => favourites.has(id);
  return [...chosen.filter(isFavourite), ...chosen.filter((flag) => !isFavourite(flag))];
}

/** Every tag in use, each once, in alphabetical order. */
export function tagsOf(flags: readonly FlagItem[]): string[] {
  const tags = new Set<string>();
  for (const flag of flags) for (const tag of flag.tags) tags.add(tag);
  return [...tags].sort();
}

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
  if (rows.length === shown.length && rows.every(({ id }, index) => id === shown[index]?.id)) return rows;
  const present = new Map(all.map((flag) => [flag.id, flag]));
  const kept = shown.flatMap(({ id }) => present.get(id) ?? []);
  const ids = new Set(kept.map(({ id }) => id));
  const held = [...kept, ...rows.filter(({ id }) => !ids.has(id))];
  const isSame = held.length === rows.length && held.every((flag, index) => flag === rows[index]);
  return isSame ? rows : held;
}
