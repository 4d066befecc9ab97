import type { AuditChange, RecordedChange } from './audit-entry.ts';
import { isLongList, isRule, itemsWholeMax } from './recorded-changes.ts';

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

interface SideCounts {
  readonly before: number;
  readonly after: number;
}

export const itemsListedMax = itemsWholeMax;

export function shownChange({ field, before, after, whole }: RecordedChange): CutChange {
  if (whole === undefined && !isLong(before) && !isLong(after)) {
    return { field, before, after, cut: null, totals: null };
  }
  const totals =
    whole === undefined
      ? { before: countOf(before), after: countOf(after) }
      : { before: whole.before.count, after: whole.after.count };
  const cut = { before: countOf(before, itemsListedMax), after: countOf(after, itemsListedMax) };
  return { field, before: firstOf(before), after: firstOf(after), cut, totals };
}

function isLong(value: unknown): boolean {
  return Array.isArray(value) && isLongList(value);
}

/** @param from items that are not counted */
function countOf(value: unknown, from = 0): number {
  return Array.isArray(value) ? Math.max(0, value.length - from) : 0;
}

/** @returns null for a value that is not a list */
function firstOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value.slice(0, itemsListedMax).map(shortened) : null;
}

/** Of an audience's rule with many values the first are shown, and `cut` counts the others. */
function shortened(item: unknown): unknown {
  if (!isRule(item) || item.values.length <= itemsListedMax) return item;
  const { attribute, values, ...rest } = item;
  return {
    attribute,
    values: values.slice(0, itemsListedMax),
    cut: countOf(values, itemsListedMax),
    ...rest,
  };
}
