export type OpenFeatureReason = 'STATIC' | 'TARGETING_MATCH' | 'SPLIT';

/**
 * Why an evaluation gave its answer, in the order of the rules. A reason decides the answer, so an evaluation returns
 * nothing else. `openFeature` is the same in OpenFeature's words: a flag that is off is `STATIC`, because after `DISABLED`
 * some providers give the default in the code, which may be on.
 */
interface ReasonRow {
  readonly name: string;
  readonly isOn: boolean;
  readonly openFeature: OpenFeatureReason;
}

export const evaluationReasons = [
  { name: 'flag-off', isOn: false, openFeature: 'STATIC' },
  { name: 'cohort-match', isOn: true, openFeature: 'TARGETING_MATCH' },
  { name: 'audience-mismatch', isOn: false, openFeature: 'TARGETING_MATCH' },
  { name: 'full-rollout', isOn: true, openFeature: 'STATIC' },
  { name: 'no-rollout', isOn: false, openFeature: 'STATIC' },
  { name: 'bucket-in-rollout', isOn: true, openFeature: 'SPLIT' },
  { name: 'bucket-not-in-rollout', isOn: false, openFeature: 'SPLIT' },
  { name: 'roll-in-rollout', isOn: true, openFeature: 'SPLIT' },
  { name: 'roll-not-in-rollout', isOn: false, openFeature: 'SPLIT' },
] as const satisfies readonly ReasonRow[];

export type EvaluationReasonName = (typeof evaluationReasons)[number]['name'];

/** An index into `evaluationReasons`: a small integer, so that it fits a counter's array. */
export type EvaluationReason = number;

function indexOf(name: EvaluationReasonName): EvaluationReason {
  return evaluationReasons.findIndex((reason) => reason.name === name);
}

export const flagOff = indexOf('flag-off');
export const cohortMatch = indexOf('cohort-match');
export const audienceMismatch = indexOf('audience-mismatch');
export const fullRollout = indexOf('full-rollout');
export const noRollout = indexOf('no-rollout');
export const bucketInRollout = indexOf('bucket-in-rollout');
export const bucketNotInRollout = indexOf('bucket-not-in-rollout');
export const rollInRollout = indexOf('roll-in-rollout');
export const rollNotInRollout = indexOf('roll-not-in-rollout');

const answers = evaluationReasons.map((reason) => reason.isOn);

export function isOn(reason: EvaluationReason): boolean {
  return answers[reason] as boolean;
}

const names = evaluationReasons.map((reason) => reason.name);

export function reasonName(reason: EvaluationReason): EvaluationReasonName {
  return names[reason] as EvaluationReasonName;
}

export const openFeatureReasons = evaluationReasons.map((reason) => reason.openFeature);

export function openFeatureReason(reason: EvaluationReason): OpenFeatureReason {
  return openFeatureReasons[reason] as OpenFeatureReason;
}
