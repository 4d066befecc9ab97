import type { ConsoleFlagView, FlagPage, FlagRow, StateKind } from '../../contracts/console/flag-views.ts';

/** The distinct states to which the rows of a page refer. */
interface PageStates {
  /** The index of an environment's number in a row's `states`. */
  readonly columns: ReadonlyMap<number, number>;
  readonly kinds: readonly StateKind[];
}

/** A flag of a list. States stay the small numbers that came: a long list has hundreds of thousands of them. */
export interface FlagItem extends FlagRow {
  /** The searched text in lower case, without the id, which a search finds by `findsId`. */
  readonly words: string;
  /** Its order among names: that of the letters, and of whole numbers by their value. */
  readonly nameOrder: string;
  readonly page: PageStates;
  /** The round of the list in which it was read or changed. */
  readonly round: number;
}

/** @returns undefined if the flag had no state there when it was read */
export function listedState({ states, page }: FlagItem, environment: number): StateKind | undefined {
  const column = page.columns.get(environment);
  return column === undefined ? undefined : page.kinds[states[column] ?? -1];
}

/**
 * All known flags of a project, by name, then id. It is read page by page: a round begins with the first page and ends
 * with the last one. Meanwhile the flags of the round before stay in the list.
 */
export interface KnownFlags {
  readonly flags: readonly FlagItem[];
  readonly round: number;
  /** The cursor of the page that this round reads next; null when it is complete. Empty before its first page. */
  readonly next: string | null;
  /** Whether a round was completed: no flag is missing. */
  readonly isWhole: boolean;
  /** Flags that were deleted in this round: a page that was read earlier may still have them. */
  readonly gone: ReadonlySet<string>;
}

/** The list at the beginning of a round. @param known the list so far */
export function nextRound(known: KnownFlags | undefined): KnownFlags {
  return {
    flags: known?.flags ?? [],
    round: (known?.round ?? 0) + 1,
    next: '',
    isWhole: known?.isWhole ?? false,
    gone: new Set(),
  };
}

/** The list with the next page of its round. */
export function withPage(list: KnownFlags, page: FlagPage): KnownFlags {
  const read = withRows(list, page);
  if (page.next !== null) return { ...read, next: page.next };
  const present = read.flags.filter(({ round }) => round === list.round);
  return { ...read, flags: present, next: null, isWhole: true, gone: new Set() };
}

/** The list with flags that were read by their ids. @param ids those that `page` lacks are deleted */
export function withFlags(list: KnownFlags, ids: readonly string[], page: FlagPage): KnownFlags {
  const found = new Set(page.flags.map(({ id }) => id));
  const missing = new Set(ids.filter((id) => !found.has(id)));
  const present = missing.size === 0 ? list.flags : list.flags.filter(({ id }) => !missing.has(id));
  const gone = list.next === null ? list.gone : new Set([...list.gone, ...missing]);
  return withRows({ ...list, flags: present, gone }, page);
}

/** One flag as a page, as if it was read by its id. */
export function pageOfFlag(flag: ConsoleFlagView): FlagPage {
  const { id, name, answersToName, description, tags, cohorts, revision, updatedAt } = flag;
  const states = Object.entries(flag.states);
  const row: FlagRow = {
    ...{ id, name, answersToName, description, tags, cohortCount: cohorts.length, revision, updatedAt },
    states: states.map((_, index) => index),
  };
  return {
    environments: states.map(([number]) => Number(number)),
    kinds: states.map(([, { enabled, trafficPercentage, cohortOverride, audienceId }]) => {
      const cohortOverrideCount = cohortOverride?.length ?? null;
      return { enabled, trafficPercentage, cohortOverrideCount, audienceId };
    }),
    flags: [row],
    next: null,
  };
}

/**
 * Merges the rows of a page into the list's order. The page may have been read before a change that this round already knows:
 * such a row stays. One of an earlier round is replaced by any revision, because the store may come from a backup.
 */
function withRows(list: KnownFlags, { flags: rows, environments, kinds }: FlagPage): KnownFlags {
  const { round } = list;
  const page = { columns: new Map(environments.map((number, column) => [number, column])), kinds };
  const read = new Map<string, FlagItem>();
  for (const row of rows)
    if (!list.gone.has(row.id))
      read.set(row.id, { ...row, words: wordsOf(row), nameOrder: nameOrderOf(row), page, round });
  const others: FlagItem[] = [];
  for (const flag of list.flags) {
    const now = read.get(flag.id);
    if (now === undefined) others.push(flag);
    else if (flag.round === round && now.revision < flag.revision) read.set(flag.id, flag);
  }
  return { ...list, flags: merged(others, [...read.values()].sort(byNameAndId)) };
}

function wordsOf({ name, description, tags }: FlagRow): string {
  return `${name}\n${description}\n${tags.join('\n')}`.toLowerCase();
}

/** Each number has its length before it, so that 9 is before 10. */
function nameOrderOf({ name }: FlagRow): string {
  return name.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return `0${String.fromCharCode(number.length)}${number}`;
  });
}

/** @param left @param right both in the list's order */
function merged(left: readonly FlagItem[], right: readonly FlagItem[]): FlagItem[] {
  const all: FlagItem[] = [];
  let at = 0;
  for (const flag of right) {
    for (let other = left[at]; other !== undefined && byNameAndId(other, flag) < 0; other = left[at]) {
      all.push(other);
      at += 1;
    }
    all.push(flag);
  }
  for (; at < left.length; at += 1) all.push(left[at] as FlagItem);
  return all;
}

type NamedFlag = Pick<FlagItem, 'name' | 'id'>;

/** The order of the list: names in the order of their UTF-8 bytes, then ids. */
export function byNameAndId(left: NamedFlag, right: NamedFlag): number {
  return compareBytes(left.name, right.name) || compareBytes(left.id, right.id);
}

/** Compares texts as their UTF-8 bytes do: unlike UTF-16, where surrogates are before U+E000. */
function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (one !== other) return rankOf(one) - rankOf(other);
  }
  return left.length - right.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
