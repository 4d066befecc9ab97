import { type ByteSet, sameBytes } from '../../support/byte-set.ts';
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

/** Whether a cohort after the first one is listed. */
function listsFurtherCohort(cohorts: ByteSet, context: EvaluationContext): boolean {
  for (let index = 0; index < context.furtherCohortCount; index += 1) {
    const start = context.furtherCohortStart(index);
    if (cohorts.has(context.bytes, start, context.furtherCohortEnd(index))) return true;
  }
  return false;
}

function matchesRule(rule: CompiledRule, context: EvaluationContext): boolean {
  for (let index = 0; index < context.attributeCount; index += 1) {
    const nameEnd = context.attributeNameEnd(index);
    if (!sameBytes(rule.attribute, context.bytes, context.attributeNameStart(index), nameEnd)) continue;
    const start = context.attributeValueStart(index);
    if (rule.values.has(context.bytes, start, context.attributeValueEnd(index))) return true;
  }
  return false;
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
