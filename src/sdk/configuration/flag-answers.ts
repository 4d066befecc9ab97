import { evaluableOf } from '../../domain/evaluation/evaluable-flag.ts';
import { bucketHash, evaluateFlag, type RandomRoll } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import {
  type EvaluationReason,
  flagOff,
  isOn,
  openFeatureReason,
  reasonName,
} from '../../domain/evaluation/evaluation-reason.ts';
import { percentOf, type TrialPlace, trialOf } from '../../domain/evaluation/flag-trial.ts';
import {
  assignOpenFeatureKeys,
  type OpenFeatureContext,
  textsOf,
} from '../../domain/evaluation/open-feature-context.ts';
import type { PlainContext } from '../../domain/evaluation/plain-context.ts';
import { matchesTextRules } from '../../domain/evaluation/text-rules.ts';
import { soleEnvironment } from '../../domain/project/project.ts';
import { randomRoll } from '../../support/random-roll.ts';
import type {
  EvaluatedFlag,
  ExplainedStep,
  Explanation,
  FallbackReason,
  FlagContext,
} from '../burgee-client.ts';
import type { ClientFlag, FlagSet } from './flag-set.ts';

const decoder = new TextDecoder();
const unknownTimes = { createdAt: 0, updatedAt: 0, revision: 1 };

/** A client's only environment, as the project of a trial. */
const project = {
  ...unknownTimes,
  id: '',
  name: '',
  organisationId: null,
  ownerMemberId: null,
  isMultiEnvironment: false,
  environments: [],
  nextEnvironmentNumber: 1,
  environmentsRevision: 1,
  evaluationAccess: true,
  isProtected: false,
  slugs: [],
  isSlugPublic: false,
};

/** Explains the effect of each rule, as the console's trial does. */
function explainSteps(
  flag: ClientFlag,
  context: EvaluationContext,
  given: OpenFeatureContext,
  roll: RandomRoll,
): readonly ExplainedStep[] {
  const attributes = flag.rules?.flatMap(({ attribute }) =>
    textsOf(given[attribute]).map((text) => [attribute, text] as const),
  );
  const plain = { ...keysOf(context, flag.sent.cohorts), attributes: attributes ?? [] };
  return trialOf(placeOf(flag), plain, roll).steps;
}

function placeOf({ sent, audience }: ClientFlag): TrialPlace {
  const { id, name, enabled, trafficPercentage, cohorts, audienceId } = sent;
  const state = { enabled, trafficPercentage, cohortOverride: cohorts, audienceId };
  const states = new Map([
    [soleEnvironment, { ...state, cohortOverride: cohorts.length > 0 ? cohorts : null }],
  ]);
  return {
    flag: evaluableOf({
      ...unknownTimes,
      id,
      projectId: '',
      ...{ name, nameSince: null, aliases: [] },
      description: '',
      tags: [],
      cohorts: [],
      states,
    }),
    project,
    environmentNumber: soleEnvironment,
    // A configuration has no names of audiences.
    audience: audience && { ...unknownTimes, ...audience, projectId: '', name: audience.id },
  };
}

/** Of several cohorts, the one that matches, else the first. */
function keysOf(context: EvaluationContext, listed: readonly string[]): PlainContext {
  const text = (start: number, end: number): string => decoder.decode(context.bytes.subarray(start, end));
  const cohorts = context.hasCohort ? [text(context.cohortStart, context.cohortEnd)] : [];
  for (let index = 0; index < context.furtherCohortCount; index += 1) {
    cohorts.push(text(context.furtherCohortStart(index), context.furtherCohortEnd(index)));
  }
  return {
    targetingKey: context.hasTargetingKey ? text(context.targetingKeyStart, context.targetingKeyEnd) : '',
    cohort: cohorts.find((cohort) => listed.includes(cohort)) ?? cohorts[0] ?? '',
  };
}

const noContext: FlagContext = {};
const answerOfFallback = { rule: null, bucket: null, steps: [], flagId: null, name: null } as const;

/** Answers questions from a set of flags. */
export class FlagAnswers {
  readonly #flags: FlagSet;
  #context = new EvaluationContext();
  /** A getter of the context may evaluate another flag: that evaluation gets a context of its own. */
  #isBusy = false;

  constructor(flags: FlagSet) {
    this.#flags = flags;
  }

  isOn(nameOrId: string, context: FlagContext, fallback: boolean): boolean {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined) return fallback;
    try {
      return isOn(this.#evaluate(flag, context));
    } catch {
      // A getter of the caller's context threw.
      this.#isBusy = false;
      return fallback;
    }
  }

  /** @returns why there is no answer */
  evaluate(nameOrId: string, context: FlagContext): EvaluatedFlag | FallbackReason {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined) return 'flag-not-found';
    let reason: EvaluationReason;
    try {
      reason = this.#evaluate(flag, context);
    } finally {
      this.#isBusy = false;
    }
    return {
      value: isOn(reason),
      flagId: flag.sent.id,
      revision: flag.sent.revision,
      reason: reasonName(reason),
      openFeatureReason: openFeatureReason(reason),
    };
  }

  /** The caller resets `#isBusy` when this throws: that is cheaper there. */
  #evaluate(flag: ClientFlag, asked: FlagContext): EvaluationReason {
    const { tally } = flag;
    // A flag that is off does not read the context.
    if (!flag.matched.isEnabled) {
      tally.off += 1;
      return flagOff;
    }
    const given = asked ?? noContext;
    const context = this.#isBusy ? new EvaluationContext() : this.#context;
    this.#isBusy = true;
    const isMatch = flag.rules === null || matchesTextRules(flag.rules, given);
    assignOpenFeatureKeys(context, given);
    this.#isBusy = false;
    const state = isMatch ? flag.matched : flag.mismatched;
    const reason = evaluateFlag(flag.compiled, state, context, randomRoll);
    if (isOn(reason)) tally.on += 1;
    else tally.off += 1;
    context.trim();
    return reason;
  }

  /** @param version null while there is no configuration */
  explain(nameOrId: string, asked: FlagContext, fallback: boolean, version: string | null): Explanation {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined) {
      return { ...answerOfFallback, value: fallback, version, ...whyFallback(nameOrId, version) };
    }
    const context = new EvaluationContext();
    const given = asked ?? noContext;
    assignOpenFeatureKeys(context, given);
    const isMatch = flag.rules === null || matchesTextRules(flag.rules, given);
    let rolled: number | null = null;
    const roll = (): number => {
      rolled ??= randomRoll();
      return rolled;
    };
    const reason = evaluateFlag(flag.compiled, isMatch ? flag.matched : flag.mismatched, context, roll);
    const hasKey = context.hasTargetingKey || context.hasCohort;
    const steps = explainSteps(flag, context, given, roll);
    const deciding = steps.find(({ outcome }) => outcome === 'decides');
    return {
      value: isOn(reason),
      reason: reasonName(reason),
      rule: deciding?.rule ?? null,
      bucket: hasKey ? percentOf(bucketHash(flag.compiled, context)) : null,
      steps,
      explanation: deciding?.explanation ?? '',
      flagId: flag.sent.id,
      name: flag.sent.name,
      version,
    };
  }
}

function whyFallback(
  nameOrId: string,
  version: string | null,
): { readonly reason: FallbackReason; readonly explanation: string } {
  const quoted = JSON.stringify(nameOrId);
  if (version === null) {
    return {
      reason: 'not-ready',
      explanation: 'There is no configuration yet, so the answer is the fallback.',
    };
  }
  return {
    reason: 'flag-not-found',
    explanation: `There is no flag with the id or name ${quoted} here, so the answer is the fallback.`,
  };
}
