import type { EvaluationContext } from './evaluation-context.ts';

/** A context as OpenFeature has it: names and values of any kind, of which some are dropped. */
export type OpenFeatureContext = Readonly<Record<string, unknown>>;

/**
 * Fills an evaluation context from a context of OpenFeature (docs/api.md, "OFREP"). `targetingKey`, `cohort` and `env`
 * are parameters, everything else attributes. Booleans, numbers and texts become text, numbers as JavaScript prints
 * them; dates become ISO text. A list gives several values; for `cohort`, any of them may match. Objects, lists in
 * lists, `null` and values of other types are dropped. An empty targeting key or cohort counts as absent.
 * @param environment that the address names: it takes precedence over the context's `env`
 */
export function assignOpenFeatureContext(
  context: EvaluationContext,
  given: OpenFeatureContext,
  environment: string | null,
): void {
  context.clear();
  if (environment !== null) context.setEnvironment(environment);
  for (const name in given) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    if (name === 'cohort') addCohorts(context, value);
    else if (name === 'targetingKey') setTargetingKey(context, value);
    else if (name !== 'env') addAttribute(context, name, value);
    else if (environment === null) setEnvironment(context, value);
  }
}

function setTargetingKey(context: EvaluationContext, value: unknown): void {
  const text = textOf(value);
  if (text !== null) context.setTargetingKey(text);
}

function setEnvironment(context: EvaluationContext, value: unknown): void {
  const text = textOf(value);
  if (text !== null) context.setEnvironment(text);
}

function addCohorts(context: EvaluationContext, value: unknown): void {
  if (!Array.isArray(value)) addCohort(context, value);
  else for (const item of value) addCohort(context, item);
}

function addCohort(context: EvaluationContext, value: unknown): void {
  const text = textOf(value);
  if (text !== null && text !== '') context.addCohort(text);
}

function addAttribute(context: EvaluationContext, name: string, value: unknown): void {
  if (!Array.isArray(value)) {
    const text = textOf(value);
    if (text !== null) context.addAttribute(name, text);
    return;
  }
  let isNamed = false;
  for (const item of value) {
    const text = textOf(item);
    if (text === null) continue;
    if (isNamed) context.addFurtherValue(text);
    else context.addAttribute(name, text);
    isNamed = true;
  }
}

/** @returns null for a value without a text */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return null;
}

/**
 * The same of a context's targeting key and cohorts alone, for a flag whose audience is compared without
 * (`matchesTextRules`). Inherited values count, too.
 */
export function assignOpenFeatureKeys(context: EvaluationContext, given: OpenFeatureContext): void {
  context.clear();
  const { targetingKey, cohort } = given;
  if (typeof targetingKey === 'string') context.setTargetingKey(targetingKey);
  else if (targetingKey !== undefined) setTargetingKey(context, targetingKey);
  if (cohort !== undefined) addCohorts(context, cohort);
}

/** @returns the texts of a value: several of a list */
export function textsOf(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  return texts.filter((text) => text !== null);
}
