import { toWellFormed } from '../../support/code-points.ts';
import type { AudienceRule } from './audience.ts';
import { contextParameters } from './evaluation-context.ts';
import { type OpenFeatureContext, textOf } from './open-feature-context.ts';

/**
 * A rule of an audience for contexts whose values are strings already: V8 finds a string in a set faster than its bytes
 * are compared. A worker, whose contexts are bytes of a request, has `CompiledRule`.
 */
export interface TextRule {
  readonly attribute: string;
  readonly values: ReadonlySet<string>;
  /**
   * Whether a value has U+FFFD. As UTF-8, which rules compare, a lone surrogate of a context is that, too: so only such a
   * value can match one.
   */
  readonly hasReplacement: boolean;
}

/** @returns null for a rule that no context can match, because parameters are never attributes */
export function textRuleOf({ attribute, values }: AudienceRule): TextRule | null {
  if (contextParameters.some((parameter) => parameter === attribute)) return null;
  return {
    attribute,
    values: new Set(values),
    hasReplacement: values.some((value) => value.includes('\uFFFD')),
  };
}

/**
 * Whether every rule matches: `matchesAudience` of a context that `assignOpenFeatureContext` would fill from this one.
 * Inherited values count, too: the methods of an object are not values, but the getters of its class are.
 */
export function matchesTextRules(rules: readonly TextRule[], given: OpenFeatureContext): boolean {
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index] as TextRule;
    const value = given[rule.attribute];
    const isMatch =
      typeof value === 'string' && !rule.hasReplacement ? rule.values.has(value) : matchesValue(rule, value);
    if (!isMatch) return false;
  }
  return true;
}

function matchesValue(rule: TextRule, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => matchesText(rule, textOf(item)));
  return matchesText(rule, textOf(value));
}

function matchesText({ values, hasReplacement }: TextRule, text: string | null): boolean {
  if (text === null) return false;
  return values.has(text) || (hasReplacement && values.has(toWellFormed(text)));
}
