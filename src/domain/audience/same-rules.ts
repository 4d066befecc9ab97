import type { AudienceRule } from '../evaluation/audience.ts';
import { areSameCohorts as areSameTexts } from '../flag/state-changes.ts';

/** Rule by rule and value by value, in order: what is sent in another order is another list. */
export function areSameRules(left: readonly AudienceRule[], right: readonly AudienceRule[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ attribute, values }, index) => {
      const other = right[index];
      return other !== undefined && other.attribute === attribute && areSameTexts(values, other.values);
    })
  );
}
