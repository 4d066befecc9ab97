import { evaluableOf } from '../../domain/evaluation/evaluable-flag.ts';
import type { RandomRoll } from '../../domain/evaluation/evaluate-flag.ts';
import type { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { type TrialPlace, trialOf } from '../../domain/evaluation/flag-trial.ts';
import { type OpenFeatureContext, textsOf } from '../../domain/evaluation/open-feature-context.ts';
import type { PlainContext } from '../../domain/evaluation/plain-context.ts';
import { soleEnvironment } from '../../domain/project/project.ts';
import type { ExplainedStep } from '../burgee-client.ts';
import type { ClientFlag } from './flag-set.ts';

const decoder = new TextDecoder();
const unknownTimes = { createdAt: 0, updatedAt: 0, revision: 1 };

/** What a trial asks of a project, of a client's only environment. */
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
};

/** Says of each rule what it did, as the console's trial does. */
export function explainSteps(
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
      name,
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
