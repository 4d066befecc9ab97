/** Describes a whole list, for an entry that has only its difference. */
export interface WholeList {
  readonly count: number;
  /** Hexadecimal SHA-256 of the list's JSON without white space, as UTF-8. */
  readonly sha256: string;
}

export interface WholeLists {
  readonly before: WholeList;
  readonly after: WholeList;
}

/** The items that only one of two lists has. Repeated items count: a list with one more of an item has it once more. */
export interface ListDifference<Item> {
  /** In the order of the old list. */
  readonly removed: readonly Item[];
  /** In the order of the new list. */
  readonly added: readonly Item[];
}

export const itemsWholeMax = 100;
/** A list is long when its JSON is longer than this, however few items it has. */
export const charsWholeMax = 16 * 1024;

export function isLongList(items: number, chars: number): boolean {
  return items > itemsWholeMax || chars > charsWholeMax;
}

/** How many items ahead the other list's next item is searched. */
const lookAheadMax = 32;
/** Unsuccessful searches after which lists are taken as different, and searched no further. */
const vainSearchesMax = 2000;
/** Items of each side that are looked up, some 20 ms in the worst case. */
const lookedUpMax = 40_000;

/**
 * The difference of two lists, in bounded time, because the writer waits for it. The new list is the old one without
 * the removed items and with the added ones, which holds exactly for any lists. In very different lists, with more than
 * 40,000 items on a side, an item that was only moved may be both removed and added.
 */
export function listDifference<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): ListDifference<Item> {
  const [was, is] = [before.map(keyOf), after.map(keyOf)];
  const apart = walkTogether(was, is);
  const { removed, added } = withoutMoved(apart, was, is);
  const at =
    (items: readonly Item[]) =>
    (place: number): Item =>
      items[place] as Item;
  return { removed: removed.map(at(before)), added: added.map(at(after)) };
}

type Places = ListDifference<number>;

/** Walks through both lists together. Where they differ, the next item of one is searched in the other. */
function walkTogether(was: readonly string[], is: readonly string[]): Places {
  const [removed, added]: [number[], number[]] = [[], []];
  const ends = sharedEnd(was, is);
  const [oldEnd, nowEnd] = [was.length - ends, is.length - ends];
  let [old, now, vainSearches] = [0, 0, 0];
  while (old < oldEnd && now < nowEnd) {
    if (was[old] === is[now]) {
      old += 1;
      now += 1;
      continue;
    }
    const found = vainSearches < vainSearchesMax ? lookAhead(was, is, old, now) : null;
    if (found === null) vainSearches += 1;
    const [goes, comes] = found ?? [1, 1];
    for (const end = Math.min(old + goes, oldEnd); old < end; old += 1) removed.push(old);
    for (const end = Math.min(now + comes, nowEnd); now < end; now += 1) added.push(now);
  }
  for (; old < oldEnd; old += 1) removed.push(old);
  for (; now < nowEnd; now += 1) added.push(now);
  return { removed, added };
}

function sharedEnd(was: readonly string[], is: readonly string[]): number {
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < shorter - start && was[was.length - 1 - end] === is[is.length - 1 - end]) end += 1;
  return end;
}

/** @returns how many items were removed and added until both lists have the same next item; null when it is too far */
function lookAhead(
  was: readonly string[],
  is: readonly string[],
  old: number,
  now: number,
): readonly [goes: number, comes: number] | null {
  for (let ahead = 1; ahead <= lookAheadMax; ahead += 1) {
    if (old + ahead < was.length && was[old + ahead] === is[now]) return [ahead, 0];
    if (now + ahead < is.length && was[old] === is[now + ahead]) return [0, ahead];
    if (old + ahead < was.length && was[old + ahead] === is[now + ahead]) return [ahead, ahead];
  }
  return null;
}

function withoutMoved(apart: Places, was: readonly string[], is: readonly string[]): Places {
  if (Math.max(apart.removed.length, apart.added.length) > lookedUpMax) return apart;
  const unmatched = new Map<string, number>();
  for (const place of apart.added) {
    const key = is[place] as string;
    unmatched.set(key, (unmatched.get(key) ?? 0) + 1);
  }
  const take = (key: string): boolean => {
    const left = unmatched.get(key) ?? 0;
    if (left > 0) unmatched.set(key, left - 1);
    return left > 0;
  };
  const removed = apart.removed.filter((place) => !take(was[place] as string));
  return { removed, added: apart.added.filter((place) => take(is[place] as string)) };
}
