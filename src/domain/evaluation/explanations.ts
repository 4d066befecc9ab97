import type { FlagState } from '../flag/flag.ts';
import { shown } from '../problem-list.ts';
import type { Audience, AudienceRule } from './audience.ts';
import type { PlainContext } from './plain-context.ts';

/** The facts about one evaluation from which the sentences are made. */
export interface TrialScene {
  readonly state: Omit<FlagState, 'cohortOverride'>;
  /** Entries of the effective list, whether it names the request's cohort, and its owner. */
  readonly cohortCount: number;
  readonly isListed: boolean;
  readonly listName: string;
  /** Empty in a single-environment project. */
  readonly environmentName: string;
  readonly audience: Audience | null;
  readonly context: PlainContext;
  readonly isOn: boolean;
  /** The bucket of the key, or the roll without one: 0 to below 100, in hundredths. Null when neither was needed. */
  readonly percent: number | null;
}

export const trialRules = ['switch', 'cohort', 'audience', 'percentage'] as const;
export type TrialRule = (typeof trialRules)[number];

const listedMax = 5;

/** Says in a sentence why each rule decided or passed. */
export const explanations: Readonly<Record<TrialRule, (scene: TrialScene) => string>> = {
  switch: explainSwitch,
  cohort: explainCohort,
  audience: explainAudience,
  percentage: explainPercentage,
};

function explainSwitch({ state, environmentName }: TrialScene): string {
  const where = environmentName === '' ? '' : ` in ${environmentName}`;
  return state.enabled
    ? `The flag is on${where}.`
    : `The flag is off${where}, so the answer is off for everybody.`;
}

function explainCohort({ cohortCount, isListed, listName, context }: TrialScene): string {
  const { cohort = '' } = context;
  if (cohortCount === 0) return 'No cohorts are listed.';
  if (cohort === '') return `The request names no cohort, so nothing on ${listName} can match.`;
  if (!isListed) return `Cohort ${quoted(cohort)} is not on ${listName}.`;
  return `Cohort ${quoted(cohort)} is on ${listName}, so the answer is on: audience and percentage do not matter.`;
}

function explainAudience({ audience, context }: TrialScene): string {
  if (audience === null) return 'No audience is attached: the flag applies to everybody.';
  const values = valuesByName(context);
  const failing = audience.rules.filter((rule) => matchedValue(rule, values) === undefined);
  const name = quoted(audience.name);
  if (failing.length === 0) {
    const matches = audience.rules.map((rule) => describeMatch(rule, matchedValue(rule, values) ?? ''));
    return `Audience ${name} matches: ${joined(matches, '; ')}.`;
  }
  const misses = failing.map((rule) => describeMiss(rule, values.get(rule.attribute) ?? []));
  return `Audience ${name} does not match, so the answer is off: ${joined(misses, '; ')}.`;
}

function valuesByName({ attributes = [] }: PlainContext): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of attributes) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}

function matchedValue(
  { attribute, values }: AudienceRule,
  sent: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  return sent.get(attribute)?.find((value) => values.includes(value));
}

function describeMatch({ attribute }: AudienceRule, value: string): string {
  return `${quoted(attribute)} is ${quoted(value)}`;
}

function describeMiss({ attribute, values }: AudienceRule, sent: readonly string[]): string {
  const wanted = joined(values, ', ', quoted);
  const asked = values.length === 1 ? `the rule asks for ${wanted}` : `the rule asks for one of ${wanted}`;
  if (sent.length === 0) return `${quoted(attribute)} is missing, and ${asked}`;
  return `${quoted(attribute)} is ${joined(sent, ', ', quoted)}, and ${asked}`;
}

function explainPercentage({ state, context, isOn, percent }: TrialScene): string {
  const { trafficPercentage } = state;
  if (trafficPercentage === 100)
    return 'The rollout is 100%, so the answer is on for every request that comes to this rule.';
  if (trafficPercentage === 0)
    return 'The rollout is 0%, so the answer is off for every request that comes to this rule.';
  const outcome = `The rollout is everything below ${trafficPercentage}%, so the answer is ${isOn ? 'on' : 'off'}`;
  const { targetingKey = '', cohort = '' } = context;
  if (targetingKey !== '') {
    return `Targeting key ${quoted(targetingKey)} falls at ${percent}%. ${outcome}, for this key every time.`;
  }
  if (cohort !== '') {
    return `Without a targeting key the cohort is the key: ${quoted(cohort)} falls at ${percent}%. ${outcome}, for this cohort every time.`;
  }
  return `Without a targeting key or a cohort each request is a fresh random roll. This one fell at ${percent}%. ${outcome}; the next one may differ.`;
}

function quoted(text: string): string {
  return `“${shown(text)}”`;
}

/** @param show formats a text; called only for the listed texts, of up to 100,000 */
function joined(
  texts: readonly string[],
  separator: string,
  show: (text: string) => string = (text) => text,
): string {
  const listed = texts.slice(0, listedMax).map(show).join(separator);
  return texts.length > listedMax ? `${listed}${separator}and ${texts.length - listedMax} more` : listed;
}
