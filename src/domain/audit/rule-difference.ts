import type { AudienceRule } from '../evaluation/audience.ts';
import { isLongList, type ListDifference, listDifference, type WholeList } from './list-difference.ts';

/** A rule with many values, with only the values that the other side's rule lacks. */
interface RuleDifference extends AudienceRule {
  readonly whole: WholeList;
}

/**
 * A rule that has gained a value is another rule. Of a long rule on both sides, each side lists only the values that
 * the other lacks. Rules that cannot be matched by their attributes stay whole.
 *
 * @param wholeOf describes a whole list
 */
export function ruleDifferences(
  { removed, added }: ListDifference<unknown>,
  wholeOf: (list: readonly string[]) => WholeList,
): ListDifference<unknown> {
  const [went, came] = [byAttribute(removed), byAttribute(added)];
  const pairs = new Map<unknown, RuleDifference>();
  for (const [attribute, before] of went) {
    const after = came.get(attribute) ?? null;
    if (before === null || after === null || !(isLong(before) || isLong(after))) continue;
    const values = listDifference(before.values, after.values, (value) => value);
    pairs.set(before, { attribute, values: values.removed, whole: wholeOf(before.values) });
    pairs.set(after, { attribute, values: values.added, whole: wholeOf(after.values) });
  }
  const shorter = (item: unknown): unknown => pairs.get(item) ?? item;
  return { removed: removed.map(shorter), added: added.map(shorter) };
}

/** Null for an attribute that several rules name. */
function byAttribute(items: readonly unknown[]): ReadonlyMap<string, AudienceRule | null> {
  const rules = new Map<string, AudienceRule | null>();
  for (const item of items) {
    if (isRule(item)) rules.set(item.attribute, rules.has(item.attribute) ? null : item);
  }
  return rules;
}

function isRule(item: unknown): item is AudienceRule {
  if (typeof item !== 'object' || item === null) return false;
  return 'attribute' in item && 'values' in item && Array.isArray(item.values);
}

function isLong({ values }: AudienceRule): boolean {
  return isLongList(
    values.length,
    values.reduce((chars, value) => chars + value.length, 0),
  );
}
