import { isWellFormed } from '../../support/code-points.ts';
import { effectiveCohorts, stateIn } from '../flag/flag.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import type { Project } from '../project/project.ts';
import type { Audience } from './audience.ts';
import { type CompiledAudience, compileAudience, evaluableAudienceOf } from './compiled-audience.ts';
import { type CompiledState, compileEvaluable } from './compiled-flag.ts';
import type { EvaluableFlag } from './evaluable-flag.ts';
import { bucketHash, evaluateFlag, type RandomRoll } from './evaluate-flag.ts';
import { contextParameters, EvaluationContext } from './evaluation-context.ts';
import {
  audienceMismatch,
  cohortMatch,
  type EvaluationReason,
  type EvaluationReasonName,
  flagOff,
  isOn,
  reasonName,
} from './evaluation-reason.ts';
import { explanations, type TrialRule, type TrialScene, trialRules } from './explanations.ts';
import { assignPlain, type PlainContext } from './plain-context.ts';

export interface TrialStep {
  readonly rule: TrialRule;
  /** `decides` gives the answer, `passes` continues with the next rule, `not-reached` comes after the decision. */
  readonly outcome: 'decides' | 'passes' | 'not-reached';
  readonly explanation: string;
}

/** One evaluation with the part of each rule, in the order of the rules. */
export interface FlagTrial {
  readonly enabled: boolean;
  readonly reason: EvaluationReasonName;
  /** The bucket, 0 to below 100, in hundredths. Null without a bucketing key. */
  readonly bucketPercent: number | null;
  readonly steps: readonly TrialStep[];
}

/** A flag in one of its environments. */
export interface TrialPlace {
  readonly flag: EvaluableFlag;
  readonly project: Project;
  /** Number of an environment of the project, or `soleEnvironment`. */
  readonly environmentNumber: number;
  /** The audience that is attached there. */
  readonly audience: Audience | null;
}

/** Evaluates a flag as the Evaluation API does, on the compiled flag, and explains the answer. */
export function trialOf(place: TrialPlace, plain: PlainContext, randomRoll: RandomRoll): FlagTrial {
  const { flag, project, environmentNumber, audience } = place;
  const environments = project.environments.filter(({ number }) => number === environmentNumber);
  const compiledAudience = (): CompiledAudience | undefined =>
    audience === null ? undefined : compileAudience(evaluableAudienceOf(audience));
  const compiled = compileEvaluable(flag, project, compiledAudience, { environments });
  const context = new EvaluationContext();
  assignPlain(context, plain);
  let rolled: number | null = null;
  const reason = evaluateFlag(compiled, placedState(compiled), context, () => {
    rolled = randomRoll();
    return rolled;
  });
  const hasKey = context.hasTargetingKey || context.hasCohort;
  const bucketPercent = hasKey ? percentOf(bucketHash(compiled, context)) : null;
  const percent = rolled === null ? bucketPercent : percentOf(rolled);
  const isListed = reason === cohortMatch;
  const scene = { ...sceneOf(place, plain), isListed, isOn: isOn(reason), percent };
  return { enabled: isOn(reason), reason: reasonName(reason), bucketPercent, steps: stepsOf(reason, scene) };
}

function placedState(compiled: {
  readonly sole: CompiledState | null;
  readonly states: readonly CompiledState[];
}): CompiledState {
  const state = compiled.sole ?? compiled.states[0];
  if (state === undefined) throw new Error('a flag is tried where its project has no environment');
  return state;
}

function sceneOf(
  place: TrialPlace,
  context: PlainContext,
): Omit<TrialScene, 'isListed' | 'isOn' | 'percent'> {
  const { flag, project, environmentNumber, audience } = place;
  const state = stateIn(flag, environmentNumber);
  const environment = project.environments.find(({ number }) => number === environmentNumber);
  const wide = state.cohortOverride === null ? 'the flag-wide list' : 'the environment’s own list';
  return {
    state,
    cohortCount: effectiveCohorts(flag, state).count,
    listName: project.isMultiEnvironment ? wide : 'the flag’s list',
    environmentName: environment?.name ?? '',
    audience,
    context,
  };
}

/** In hundredths of a percent, never rounded up: a key is in the rollout when this is below the percentage. */
export function percentOf(hash: number): number {
  return Math.floor((hash * 10_000) / 2 ** 32) / 100;
}

function decidingRule(reason: EvaluationReason): TrialRule {
  if (reason === flagOff) return 'switch';
  if (reason === cohortMatch) return 'cohort';
  return reason === audienceMismatch ? 'audience' : 'percentage';
}

function stepsOf(reason: EvaluationReason, scene: TrialScene): TrialStep[] {
  const deciding = trialRules.indexOf(decidingRule(reason));
  return trialRules.map((rule, index) => {
    if (index > deciding) return { rule, outcome: 'not-reached', explanation: 'Not reached.' };
    return {
      rule,
      outcome: index === deciding ? 'decides' : 'passes',
      explanation: explanations[rule](scene),
    };
  });
}

const attributesMax = 100;

/** The context of a trial, as the console sends it. An empty key or cohort counts as absent, as in a request. */
export interface SentContext {
  readonly targetingKey?: string;
  readonly cohort?: string;
  /** A name may occur several times: each adds a value. */
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

/** @param problems receives what no request could contain. */
export function readTrialContext(sent: SentContext, problems: ProblemList): PlainContext {
  const { targetingKey = '', cohort = '', attributes = [] } = sent;
  addUnicodeProblem(targetingKey, 'targetingKey', problems);
  addUnicodeProblem(cohort, 'cohort', problems);
  if (attributes.length > attributesMax) {
    problems.add(() => `attributes must be at most ${attributesMax}`);
  }
  for (const [index, { name, value }] of attributes.slice(0, attributesMax).entries()) {
    addAttributeProblems(name, value, `attributes[${index}]`, problems);
  }
  return { targetingKey, cohort, attributes: attributes.map(({ name, value }) => [name, value] as const) };
}

function addAttributeProblems(name: string, value: string, path: string, problems: ProblemList): void {
  if (contextParameters.some((parameter) => parameter === name)) {
    problems.add(() => `${path}.name must not be ${shown(name)}: it is never an attribute`);
  }
  addUnicodeProblem(name, `${path}.name`, problems);
  addUnicodeProblem(value, `${path}.value`, problems);
}

function addUnicodeProblem(text: string, field: string, problems: ProblemList): void {
  if (!isWellFormed(text)) problems.add(() => `${field} must be valid Unicode: it has a lone surrogate`);
}
