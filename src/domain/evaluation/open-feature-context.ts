import type { EvaluationContext } from './evaluation-context.ts';

/** A context as OpenFeature has it: names and values of any kind, of which some are dropped. */
export type OpenFeatureContext = Readonly<Record<string, unknown>>;

/**
 * Fills an evaluation context from a context of OpenFeature (docs/api.md, «OFREP»). `targetingKey`, `cohort` and `env` are
 * parameters, everything else attributes. Booleans, numbers and texts become text, numbers as JavaScript prints them;
 * dates become ISO text. A list gives several values: of `cohort`, any of them may match. Objects, lists in lists, `null`
 * and what is no data are dropped. An empty targeting key or cohort counts as absent.
 * @param environment that the request names otherwise: it is evaluated, whatever the context says
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
    if (name === 'cohort') addValues(context, addCohort, name, value);
    else if (name === 'targetingKey') setTargetingKey(context, value);
    else if (name !== 'env') addValues(context, addAttribute, name, value);
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

type AddValue = (context: EvaluationContext, name: string, value: string) => void;

function addCohort(context: EvaluationContext, _name: string, value: string): void {
  if (value !== '') context.addCohort(value);
}

function addAttribute(context: EvaluationContext, name: string, value: string): void {
  context.addAttribute(name, value);
}

function addValues(context: EvaluationContext, add: AddValue, name: string, value: unknown): void {
  if (!Array.isArray(value)) {
    const text = textOf(value);
    if (text !== null) add(context, name, text);
    return;
  }
  for (const item of value) {
    const text = textOf(item);
    if (text !== null) add(context, name, text);
  }
}

/** @returns null for what has no text */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return null;
}

/**
 * The same of a context's targeting key and cohorts alone: of what a flag asks that compares attributes by itself
 * (`matchesTextRules`).
 */
export function assignOpenFeatureKeys(context: EvaluationContext, given: OpenFeatureContext): void {
  context.clear();
  // V8 makes a call for `Object.hasOwn`, and of a plain object nothing of these names is inherited.
  const isPlain = Object.getPrototypeOf(given) === Object.prototype;
  const { targetingKey, cohort } = given;
  if (targetingKey !== undefined && (isPlain || Object.hasOwn(given, 'targetingKey'))) {
    if (typeof targetingKey === 'string') context.setTargetingKey(targetingKey);
    else setTargetingKey(context, targetingKey);
  }
  if (cohort !== undefined && (isPlain || Object.hasOwn(given, 'cohort'))) {
    addValues(context, addCohort, 'cohort', cohort);
  }
}
