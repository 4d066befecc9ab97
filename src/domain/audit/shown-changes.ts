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
/** More characters than any cohort has; a longer rule is shown in part. */
const itemCharsMax = 4 * 1024;
const itemsBetweenPauses = 250;

/** A list's items as JSON text, in their order; null for a value that is no list. */
type Items = readonly string[] | null;

/** @param text as `changes-text.ts` writes it. A null is a pause in which other requests are served. */
export function* shownChanges(text: string): Generator<null, CutChange[]> {
  const shown: CutChange[] = [];
  for (const spans of changeSpans(text)) {
    if (spans === null) yield null;
    else shown.push(yield* shownChange(text, spans));
  }
  return shown;
}

function* shownChange(
  text: string,
  { field, before, after, whole }: ChangeSpans,
): Generator<null, CutChange> {
  const [had, has] = [yield* itemsOf(text, before), yield* itemsOf(text, after)];
  const name = valueAt(text, field) as string;
  if (whole === null && !isLong(had, before) && !isLong(has, after)) {
    return {
      field: name,
      before: valueAt(text, before),
      after: valueAt(text, after),
      cut: null,
      totals: null,
    };
  }
  const [left, right] = [yield* itemsOnlyIn(had, has), yield* itemsOnlyIn(has, had)];
  const cut = { before: left.cut, after: right.cut };
  const totals = whole === null ? countsOf(had, has) : totalsOf(valueAt(text, whole) as WholeLists);
  return { field: name, before: left.listed, after: right.listed, cut, totals };
}

function totalsOf({ before, after }: WholeLists): SideCounts {
  return { before: before.count, after: after.count };
}

function countsOf(had: Items, has: Items): SideCounts {
  return { before: had?.length ?? 0, after: has?.length ?? 0 };
}

function* itemsOf(text: string, span: ArrayElement): Generator<null, Items> {
  if (text[span.start] !== '[') return null;
  const items: string[] = [];
  for (const item of arrayElements(text, span.start)) {
    if (item === null) yield null;
    else items.push(text.slice(item.start, item.end));
  }
  return items;
}

function isLong(items: Items, { start, end }: ArrayElement): boolean {
  return items !== null && isLongList(items.length, end - start);
}

/** Equal items have equal JSON, because the same rules wrote all of it. */
function* itemsOnlyIn(items: Items, others: Items) {
  if (items === null) return { listed: null, cut: 0 };
  const known = yield* setOf(others ?? []);
  const found: string[] = [];
  let total = 0;
  for (const [index, item] of items.entries()) {
    if (index % itemsBetweenPauses === 0) yield null;
    if (known.has(item)) continue;
    total += 1;
    if (found.length < itemsListedMax) found.push(yield* shortened(item));
  }
  return { listed: JSON.parse(`[${found.join(',')}]`) as unknown[], cut: total - found.length };
}

function* setOf(items: readonly string[]): Generator<null, ReadonlySet<string>> {
  const set = new Set<string>();
  for (const item of items) {
    if (set.add(item).size % itemsBetweenPauses === 0) yield null;
  }
  return set;
}

/** Of an audience's rule with many values, the first are shown, and `cut` counts the others. */
function* shortened(item: string): Generator<null, string> {
  const key = '"values":[';
  const at = item.indexOf(key);
  if (item.length <= itemCharsMax || at < 0) return item;
  const start = at + key.length;
  let [listedEnd, end, total] = [start, start, 0];
  for (const value of arrayElements(item, start - 1)) {
    if (value === null) yield null;
    else {
      total += 1;
      end = value.end;
      if (total <= itemsListedMax) listedEnd = end;
    }
  }
  const cut = Math.max(0, total - itemsListedMax);
  return `${item.slice(0, listedEnd)}],"cut":${cut}${item.slice(end + 1)}`;
}

function valueAt(text: string, { start, end }: ArrayElement): unknown {
  return JSON.parse(text.slice(start, end));
}
