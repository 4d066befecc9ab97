import { bucketHash, evaluateFlag } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { flagOff, isOn, openFeatureReason, reasonName } from '../../domain/evaluation/evaluation-reason.ts';
import { percentOf } from '../../domain/evaluation/flag-trial.ts';
import {
  assignAskedAttributes,
  assignOpenFeatureContext,
} from '../../domain/evaluation/open-feature-context.ts';
import { randomRoll } from '../../support/random-roll.ts';
import type { EvaluatedFlag, Explanation, FallbackReason, FlagContext } from '../burgee-client.ts';
import { explainSteps } from './explain-steps.ts';
import { type AmbiguousName, type ClientFlag, type FlagSet, isAmbiguous } from './flag-set.ts';

/** A context that needed more memory than this is not kept for the next question. */
const keptContextBytes = 64 * 1024;
const noContext: FlagContext = {};
const answerOfFallback = { rule: null, bucket: null, steps: [], flagId: null, name: null } as const;

/** Answers questions from a set of flags. */
export class FlagAnswers {
  readonly #flags: FlagSet;
  #context = new EvaluationContext();
  /** A getter of the context under evaluation asks another question: that one gets a context of its own. */
  #isBusy = false;

  constructor(flags: FlagSet) {
    this.#flags = flags;
  }

  isOn(nameOrId: string, context: FlagContext, fallback: boolean): boolean {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined || isAmbiguous(flag)) return fallback;
    try {
      return isOn(this.#evaluate(flag, context));
    } catch {
      // A getter of the caller's context threw.
      return fallback;
    }
  }

  /** @returns null for a flag that there is not, or not by that name alone */
  evaluate(nameOrId: string, context: FlagContext): EvaluatedFlag | FallbackReason {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined) return 'flag-not-found';
    if (isAmbiguous(flag)) return 'ambiguous-name';
    const reason = this.#evaluate(flag, context);
    return {
      value: isOn(reason),
      flagId: flag.sent.id,
      revision: flag.sent.revision,
      reason: reasonName(reason),
      openFeatureReason: openFeatureReason(reason),
    };
  }

  #evaluate(flag: ClientFlag, given: FlagContext): number {
    const { state } = flag;
    // A flag that is off asks nothing of the context.
    if (!state.isEnabled) {
      state.tally.off += 1;
      return flagOff;
    }
    const context = this.#isBusy ? new EvaluationContext() : this.#context;
    this.#isBusy = true;
    try {
      assignAskedAttributes(context, given ?? noContext, flag.attributes);
    } finally {
      this.#isBusy = false;
    }
    const reason = evaluateFlag(flag.compiled, state, context, randomRoll);
    if (isOn(reason)) state.tally.on += 1;
    else state.tally.off += 1;
    if (context.bytes.length > keptContextBytes) this.#context = new EvaluationContext();
    return reason;
  }

  /** @param version null while there is no configuration */
  explain(nameOrId: string, given: FlagContext, fallback: boolean, version: string | null): Explanation {
    const flag = this.#flags.find(nameOrId);
    if (flag === undefined || isAmbiguous(flag)) {
      return { ...answerOfFallback, value: fallback, version, ...whyFallback(nameOrId, flag, version) };
    }
    const context = new EvaluationContext();
    assignOpenFeatureContext(context, given ?? noContext, null);
    let rolled: number | null = null;
    const roll = (): number => {
      rolled ??= randomRoll();
      return rolled;
    };
    const reason = evaluateFlag(flag.compiled, flag.state, context, roll);
    const hasKey = context.hasTargetingKey || context.hasCohort;
    const steps = explainSteps(flag, context, roll);
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
  found: AmbiguousName | undefined,
  version: string | null,
): { readonly reason: FallbackReason; readonly explanation: string } {
  const quoted = JSON.stringify(nameOrId);
  if (found !== undefined) {
    return {
      reason: 'ambiguous-name',
      explanation: `Several flags are called ${quoted}, so the answer is the fallback: ask by an id (${found.ids.join(', ')}).`,
    };
  }
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
