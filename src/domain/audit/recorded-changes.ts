import type { AudienceRule } from '../evaluation/audience.ts';
import type { AuditChange, RecordedChange, WholeList, WholeLists } from './audit-entry.ts';

/*
 * An entry's changes as the store keeps them: JSON, `[[field, before, after], …]`. When one of two lists is long,
 * `before` has the removed items, `after` the added ones, and a fourth part describes the whole lists. So one more item in
 * a list of a megabyte takes the space of that item.
 */

type Row = readonly [field: string, before: unknown, after: unknown, whole?: WholeLists];

export const itemsWholeMax = 100;
/** A list is long when its JSON is longer than this, however few items it has. */
const charsWholeMax = 16 * 1024;

/** @param sha256 of a text as UTF-8, hexadecimal */
export function changesToText(changes: readonly AuditChange[], sha256: (text: string) => string): string {
  return JSON.stringify(changes.map((change) => rowOf(change, sha256)));
}

export function changesFromText(json: string | Buffer): RecordedChange[] {
  const rows = JSON.parse(json.toString()) as Row[];
  return rows.map(([field, before, after, whole]) => ({
    ...{ field, before, after },
    ...(whole === undefined ? {} : { whole }),
  }));
}

export function isLongList(list: readonly unknown[]): boolean {
  return list.length > itemsWholeMax || JSON.stringify(list).length > charsWholeMax;
}

function rowOf({ field, before, after }: AuditChange, sha256: (text: string) => string): Row {
  if (!Array.isArray(before) || !Array.isArray(after)) return [field, before, after];
  if (!isLongList(before) && !isLongList(after)) return [field, before, after];
  const wholeOf = (list: readonly unknown[]): WholeList => {
    return { count: list.length, sha256: sha256(JSON.stringify(list)) };
  };
  const { removed, added } = withRuleDifferences(listDifference<unknown>(before, after), wholeOf);
  return [field, removed, added, { before: wholeOf(before), after: wholeOf(after) }];
}

/** The items that only one of two lists has. Repetitions of an item count. */
interface ListDifference<Item> {
  /** In the order of the old list. */
  readonly removed: readonly Item[];
  /** In the order of the new list. */
  readonly added: readonly Item[];
}

function listDifference<Item>(before: readonly Item[], after: readonly Item[]): ListDifference<Item> {
  const [was, is] = [before.map(keyOf), after.map(keyOf)];
  // Most changes of a long list touch few items, so the common beginning and end of both lists are skipped.
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  const middleOf = <Part>(list: readonly Part[]) => list.slice(start, list.length - end);
  return {
    removed: itemsOutside(middleOf(before), middleOf(was), middleOf(is)),
    added: itemsOutside(middleOf(after), middleOf(is), middleOf(was)),
  };
}

function itemsOutside<Item>(
  items: readonly Item[],
  keys: readonly string[],
  others: readonly string[],
): readonly Item[] {
  const unmatched = new Map<string, number>();
  for (const key of others) unmatched.set(key, (unmatched.get(key) ?? 0) + 1);
  return items.filter((_, index) => {
    const key = keys[index] as string;
    const left = unmatched.get(key) ?? 0;
    if (left > 0) unmatched.set(key, left - 1);
    return left === 0;
  });
}

/** Either all items of a list are texts, or none is. */
function keyOf(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

/**
 * A rule that has gained a value is another rule. Of a long rule on both sides, each side lists only the values that
 * the other lacks. Rules that cannot be matched by their attributes stay whole.
 */
function withRuleDifferences(
  { removed, added }: ListDifference<unknown>,
  wholeOf: (list: readonly string[]) => WholeList,
): ListDifference<unknown> {
  const [went, came] = [byAttribute(removed), byAttribute(added)];
  const shorter = new Map<unknown, AudienceRule & { readonly whole: WholeList }>();
  for (const [attribute, before] of went) {
    const after = came.get(attribute) ?? null;
    if (before === null || after === null) continue;
    if (!isLongList(before.values) && !isLongList(after.values)) continue;
    const values = listDifference(before.values, after.values);
    shorter.set(before, { attribute, values: values.removed, whole: wholeOf(before.values) });
    shorter.set(after, { attribute, values: values.added, whole: wholeOf(after.values) });
  }
  const shown = (item: unknown): unknown => shorter.get(item) ?? item;
  return { removed: removed.map(shown), added: added.map(shown) };
}

/** Null for an attribute that several rules name. */
function byAttribute(items: readonly unknown[]): ReadonlyMap<string, AudienceRule | null> {
  const rules = new Map<string, AudienceRule | null>();
  for (const item of items) {
    if (isRule(item)) rules.set(item.attribute, rules.has(item.attribute) ? null : item);
  }
  return rules;
}

export function isRule(item: unknown): item is AudienceRule {
  if (typeof item !== 'object' || item === null) return false;
  return 'attribute' in item && 'values' in item && Array.isArray(item.values);
}
