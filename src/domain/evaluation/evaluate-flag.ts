import { type ByteSet, sameBytes } from '../../support/byte-set.ts';
import type { Steps } from '../../support/steps.ts';
import { hashAfterPrefix } from './bucketing.ts';
import type { CompiledRule } from './compiled-audience.ts';
import type { CompiledFlag, CompiledState } from './compiled-flag.ts';
import type { EvaluationContext } from './evaluation-context.ts';
import {
  audienceMismatch,
  bucketInRollout,
  bucketNotInRollout,
  cohortMatch,
  type EvaluationReason,
  flagOff,
  fullRollout,
  noRollout,
  rollInRollout,
  rollNotInRollout,
} from './evaluation-reason.ts';

/** @returns a fresh, uniformly random unsigned 32-bit integer. */
export type RandomRoll = () => number;

/**
 * The state that a request is evaluated in: the only state of a single-environment flag, for any `env`, or the state
 * that `env` names. @returns null when a group flag's `env` is missing or names no environment of its project.
 */
export function selectState(flag: CompiledFlag, context: EvaluationContext): CompiledState | null {
  if (flag.sole !== null) return flag.sole;
  if (context.envStart < 0) return null;
  for (let index = 0; index < flag.environmentNames.length; index += 1) {
    const name = flag.environmentNames[index] as Uint8Array;
    if (sameBytes(name, context.bytes, context.envStart, context.envEnd)) return flag.states[index] ?? null;
  }
  return null;
}

/**
 * Values of one request that are searched in a list without an index, beside the first cohort. Then the index is made, for
 * as much as some twenty searches: a request may bring hundreds of values, and a list may have 100,000.
 */
const searchesBeforeIndex = 8;

/** Whether a cohort after the first one is listed. */
function listsFurtherCohort(cohorts: ByteSet, context: EvaluationContext): boolean {
  for (let index = 0; index < context.furtherCohortCount; index += 1) {
    const start = context.furtherCohortStart(index);
    if (index === searchesBeforeIndex) cohorts.index();
    if (cohorts.has(context.bytes, start, context.furtherCohortEnd(index))) return true;
  }
  return false;
}

function matchesRule(rule: CompiledRule, context: EvaluationContext): boolean {
  let searches = 0;
  for (let index = 0; index < context.attributeCount; index += 1) {
    const nameEnd = context.attributeNameEnd(index);
    if (!sameBytes(rule.attribute, context.bytes, context.attributeNameStart(index), nameEnd)) continue;
    const start = context.attributeValueStart(index);
    if (searches === searchesBeforeIndex) rule.values.index();
    searches += 1;
    if (rule.values.has(context.bytes, start, context.attributeValueEnd(index))) return true;
  }
  return false;
}

/** How many values of the request are searched in the rule's list when none of them is there. */
function searchesOf({ attribute }: CompiledRule, context: EvaluationContext): number {
  let searches = 0;
  for (let index = 0; index < context.attributeCount; index += 1) {
    const [start, end] = [context.attributeNameStart(index), context.attributeNameEnd(index)];
    if (sameBytes(attribute, context.bytes, start, end)) searches += 1;
  }
  return searches;
}

/** Whether a request brings so many values that their evaluation may make indexes. */
export function mayIndex({ furtherCohortCount, attributeCount }: EvaluationContext): boolean {
  return furtherCohortCount > searchesBeforeIndex || attributeCount > searchesBeforeIndex;
}

/** Steps of an index that a request makes at once: lists of some thousand values have their index after them. */
const stepsAtOnce = 4;

/**
 * Makes some steps of the indexes that the evaluation of a state would make in one step.
 * @returns whether there is more to do
 */
export function stepIndexes(state: CompiledState, context: EvaluationContext): boolean {
  for (let steps = 0; steps < stepsAtOnce; steps += 1) if (!stepIndex(state, context)) return false;
  return true;
}

function stepIndex({ isEnabled, cohorts, rules }: CompiledState, context: EvaluationContext): boolean {
  if (!isEnabled) return false;
  if (cohorts !== null && stepCohorts(cohorts, context)) return true;
  return rules !== null && stepRules(rules, context);
}

function stepCohorts(cohorts: ByteSet, { furtherCohortCount }: EvaluationContext): boolean {
  return furtherCohortCount > searchesBeforeIndex && cohorts.step();
}

/** @returns whether a step was made. So each list has a step of its own, however short it is */
function stepRules(rules: readonly CompiledRule[], context: EvaluationContext): boolean {
  if (context.attributeCount <= searchesBeforeIndex) return false;
  const next = rules.find(
    (rule) => !rule.values.isSettled && searchesOf(rule, context) > searchesBeforeIndex,
  );
  next?.values.step();
  return next !== undefined;
}

/** Makes the index that a search of the request's cohorts would make in one step. */
export function* indexCohorts(cohorts: ByteSet, context: EvaluationContext): Steps<void> {
  while (stepCohorts(cohorts, context)) yield;
}

/** Makes the indexes that a comparison of the rules would make in one step. */
export function* indexRules(rules: readonly CompiledRule[], context: EvaluationContext): Steps<void> {
  while (stepRules(rules, context)) yield;
}

/** Bytes of a list that so many searches scan at most. */
export function scannedBytesOf(list: ByteSet, searches: number): number {
  return list.scannedBytes * (list.isSettled ? searches : Math.min(searches, searchesBeforeIndex));
}

/** Whether every rule of an audience matches. */
export function matchesAudience(rules: readonly CompiledRule[], context: EvaluationContext): boolean {
  for (const rule of rules) if (!matchesRule(rule, context)) return false;
  return true;
}

/**
 * The hash of the request's bucketing key for a flag: of the targeting key, else of the first cohort. Only for a context that
 * has one.
 * @returns an unsigned 32-bit hash
 */
export function bucketHash(flag: CompiledFlag, context: EvaluationContext): number {
  const start = context.hasTargetingKey ? context.targetingKeyStart : context.cohortStart;
  const end = context.hasTargetingKey ? context.targetingKeyEnd : context.cohortEnd;
  return hashAfterPrefix(flag.hashState, flag.idLength, context.bytes, start, end);
}

function evaluateRollout(
  flag: CompiledFlag,
  threshold: number,
  context: EvaluationContext,
  randomRoll: RandomRoll,
): EvaluationReason {
  if (threshold >= 2 ** 32) return fullRollout;
  if (threshold === 0) return noRollout;
  if (!context.hasTargetingKey && !context.hasCohort) {
    return randomRoll() < threshold ? rollInRollout : rollNotInRollout;
  }
  return bucketHash(flag, context) < threshold ? bucketInRollout : bucketNotInRollout;
}

/**
 * The rules in the decided order: off → false; a cohort listed → true; audience attached and not matched → false; then the
 * percentage, by the bucket of the targeting key, else of the first cohort, else by a fresh roll. Allocates nothing.
 * @param matches `matchesAudience`, or what remembers its results for this context
 * @returns the reason, which decides the answer (`isOn`)
 */
export function evaluateFlag(
  flag: CompiledFlag,
  state: CompiledState,
  context: EvaluationContext,
  randomRoll: RandomRoll,
  matches: typeof matchesAudience = matchesAudience,
): EvaluationReason {
  if (!state.isEnabled) return flagOff;
  if (state.cohorts !== null && context.hasCohort) {
    if (state.cohorts.has(context.bytes, context.cohortStart, context.cohortEnd)) return cohortMatch;
    if (context.furtherCohortCount > 0 && listsFurtherCohort(state.cohorts, context)) return cohortMatch;
  }
  if (state.rules !== null && !matches(state.rules, context)) return audienceMismatch;
  return evaluateRollout(flag, state.threshold, context, randomRoll);
}
