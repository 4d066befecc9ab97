import { utf8BytesMax } from '../../support/utf8.ts';
import { type ArrayElement, arrayElements } from './array-elements.ts';
import type { AuditChange } from './audit-entry.ts';
import { type ChangeSpans, changeSpans } from './changes-text.ts';
import { isLongList, itemsWholeMax, type WholeLists } from './list-difference.ts';

/** A change as a page shows it. */
export interface CutChange extends AuditChange {
  /**
   * Null for short lists. For a long list, `before` has the first items that only the old list has and `after` those
   * that only the new one has, and these numbers count the items beyond them.
   */
  readonly cut: SideCounts | null;
  /** Lengths of the whole lists; not null together with `cut`. */
  readonly totals: SideCounts | null;
}

export interface SideCounts {
  readonly before: number;
  readonly after: number;
}

export const itemsListedMax = itemsWholeMax;
/** More bytes than any cohort has; a longer rule is shown in part. */
const itemBytesMax = 4 * 1024;
const itemsBetweenPauses = 250;

/** A list of a change, of which no more than the first items are remembered. */
interface ListPlace {
  readonly count: number;
  readonly first: readonly ArrayElement[];
}

/** What of a list is shown; `listed` is null for a value that is no list. */
interface ShownItems {
  readonly listed: readonly unknown[] | null;
  readonly cut: number;
}

/** @param json as `changes-text.ts` writes it. A null is a pause in which other requests are served. */
export function* shownChanges(json: Buffer): Generator<null, CutChange[]> {
  const shown: CutChange[] = [];
  for (const spans of changeSpans(json)) {
    if (spans === null) yield null;
    else shown.push(yield* shownChange(json, spans));
  }
  return shown;
}

function* shownChange(
  json: Buffer,
  { field, before, after, whole }: ChangeSpans,
): Generator<null, CutChange> {
  const [had, has] = [yield* listAt(json, before), yield* listAt(json, after)];
  const name = valueAt(json, field) as string;
  if (whole === null && !isLong(json, had, before) && !isLong(json, has, after)) {
    return {
      field: name,
      before: valueAt(json, before),
      after: valueAt(json, after),
      cut: null,
      totals: null,
    };
  }
  // Two whole lists stand in entries of earlier versions alone.
  const [left, right] =
    whole === null && had !== null && has !== null
      ? yield* itemsOfOneSide(json, before, after)
      : [yield* firstOf(json, had), yield* firstOf(json, has)];
  const cut = { before: left.cut, after: right.cut };
  const totals = whole === null ? countsOf(had, has) : totalsOf(valueAt(json, whole) as WholeLists);
  return { field: name, before: left.listed, after: right.listed, cut, totals };
}

function totalsOf({ before, after }: WholeLists): SideCounts {
  return { before: before.count, after: after.count };
}

function countsOf(had: ListPlace | null, has: ListPlace | null): SideCounts {
  return { before: had?.count ?? 0, after: has?.count ?? 0 };
}

const openBracket = 0x5b;

function* listAt(json: Buffer, span: ArrayElement): Generator<null, ListPlace | null> {
  if (json[span.start] !== openBracket) return null;
  const first: ArrayElement[] = [];
  let count = 0;
  for (const item of arrayElements(json, span.start)) {
    if (item === null) yield null;
    else {
      count += 1;
      if (count <= itemsListedMax) first.push(item);
    }
  }
  return { count, first };
}

/** The limit is of characters: their number is needed only where the bytes do not decide. */
function isLong(json: Buffer, list: ListPlace | null, span: ArrayElement): boolean {
  if (list === null) return false;
  const bytes = span.end - span.start;
  if (isLongList(list.count, Math.floor(bytes / utf8BytesMax))) return true;
  return isLongList(list.count, bytes) && isLongList(list.count, textAt(json, span).length);
}

function* firstOf(json: Buffer, list: ListPlace | null): Generator<null, ShownItems> {
  if (list === null) return { listed: null, cut: 0 };
  return yield* shownItems(json, list.first, list.count);
}

function* shownItems(
  json: Buffer,
  first: readonly ArrayElement[],
  count: number,
): Generator<null, ShownItems> {
  const listed: unknown[] = [];
  for (const item of first) listed.push(yield* shortened(json, item));
  return { listed, cut: count - listed.length };
}

function* itemsOfOneSide(
  json: Buffer,
  before: ArrayElement,
  after: ArrayElement,
): Generator<null, [ShownItems, ShownItems]> {
  const [had, has] = [yield* itemsOf(json, before), yield* itemsOf(json, after)];
  const [left, right] = [yield* setOf(json, has), yield* setOf(json, had)];
  return [yield* itemsOutside(json, had, left), yield* itemsOutside(json, has, right)];
}

function* itemsOf(json: Buffer, span: ArrayElement): Generator<null, readonly ArrayElement[]> {
  const items: ArrayElement[] = [];
  for (const item of arrayElements(json, span.start)) {
    if (item === null) yield null;
    else items.push(item);
  }
  return items;
}

/** Equal items have equal JSON, because the same rules wrote all of it. */
function* setOf(json: Buffer, items: readonly ArrayElement[]): Generator<null, ReadonlySet<string>> {
  const set = new Set<string>();
  for (const item of items) if (set.add(textAt(json, item)).size % itemsBetweenPauses === 0) yield null;
  return set;
}

function* itemsOutside(
  json: Buffer,
  items: readonly ArrayElement[],
  known: ReadonlySet<string>,
): Generator<null, ShownItems> {
  const first: ArrayElement[] = [];
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (index % itemsBetweenPauses === 0) yield null;
    if (known.has(textAt(json, item))) continue;
    count += 1;
    if (count <= itemsListedMax) first.push(item);
  }
  return yield* shownItems(json, first, count);
}

const valuesKey = '"values":[';

/** @returns an item's value. Of an audience's rule with many values the first are shown, and `cut` counts the others. */
function* shortened(json: Buffer, item: ArrayElement): Generator<null, unknown> {
  const at = item.end - item.start <= itemBytesMax ? -1 : json.indexOf(valuesKey, item.start);
  if (at < 0 || at >= item.end) return valueAt(json, item);
  const start = at + valuesKey.length;
  let [listedEnd, end, total] = [start, start, 0];
  for (const value of arrayElements(json, start - 1)) {
    if (value === null) yield null;
    else {
      total += 1;
      end = value.end;
      if (total <= itemsListedMax) listedEnd = end;
    }
  }
  const cut = Math.max(0, total - itemsListedMax);
  const begin = textAt(json, { start: item.start, end: listedEnd });
  const rest = textAt(json, { start: end + 1, end: item.end });
  return JSON.parse(`${begin}],"cut":${cut}${rest}`) as unknown;
}

function valueAt(json: Buffer, span: ArrayElement): unknown {
  return JSON.parse(textAt(json, span));
}

function textAt(json: Buffer, { start, end }: ArrayElement): string {
  return json.toString('utf8', start, end);
}
