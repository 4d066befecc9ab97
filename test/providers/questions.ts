import { createRandom, type Random } from '../support/random.ts';

/** A value that an OpenFeature context can hold, as JSON. */
type Scalar = string | number | boolean;
export type ContextValue = Scalar | null | readonly Scalar[] | { readonly city: string };

export type QuestionContext = Readonly<Record<string, ContextValue>>;

/** A project and, of one with environments, an environment: what a provider is pointed at. */
export interface Target {
  readonly project: string;
  readonly environment: string | null;
}

export interface Question {
  /** An index of `targets`. */
  readonly target: number;
  /** The flag's name. */
  readonly flag: string;
  /** Whether the provider is asked by the flag's id instead of by its name. */
  readonly isAskedById: boolean;
  readonly context: QuestionContext;
}

export const targets: readonly Target[] = [
  { project: 'shop', environment: null },
  { project: 'catalogue', environment: 'production' },
  { project: 'catalogue', environment: 'staging' },
];

/** Off or on for everybody, by turns, so that every provider sees a change. No question asks for it. */
export const changingFlag = 'announced-change';

const audiences = [
  { name: 'Paying', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] },
  {
    name: 'Nordic teams',
    rules: [
      { attribute: 'country', values: ['DK', 'NO', 'SE'] },
      { attribute: 'seats', values: ['5', '42', '1.5'] },
    ],
  },
  { name: 'Testers', rules: [{ attribute: 'beta', values: ['true'] }] },
  { name: 'Two cities', rules: [{ attribute: 'city', values: ['Malmö', '東京'] }] },
];

interface State {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  readonly cohorts?: readonly string[];
  readonly audience?: string;
}

const on: State = { enabled: true, trafficPercentage: 100 };

/** The state of each flag: in the single-environment project and in production, and, where it differs, in staging. */
const flags: readonly (readonly [name: string, state: State, inStaging?: State])[] = [
  ['for all', on, { ...on, enabled: false }],
  ['kill switch', { ...on, enabled: false, cohorts: ['ada'] }, on],
  ['for nobody', { ...on, trafficPercentage: 0 }],
  ['zero but friends', { ...on, trafficPercentage: 0, cohorts: ['ada', 'alpha-testers', 'søren'] }],
  ['a third', { ...on, trafficPercentage: 33 }, { ...on, trafficPercentage: 66 }],
  ['half and friends', { ...on, trafficPercentage: 50, cohorts: ['ada', 'søren'] }],
  ['who pays', { ...on, audience: 'Paying' }],
  ['half of who pays', { ...on, trafficPercentage: 50, audience: 'Paying' }],
  ['nordic-teams', { ...on, audience: 'Nordic teams', cohorts: ['alpha-testers'] }],
  ['testers', { ...on, audience: 'Testers' }],
  ['Städte 東京', { ...on, audience: 'Two cities' }, { ...on, trafficPercentage: 50 }],
  ['checkout/express', { ...on, trafficPercentage: 50 }],
  ['50 % off? #1', { ...on, trafficPercentage: 70, audience: 'Paying' }],
];

/** What `burgee apply` reads. */
export const provisionedDocument = {
  organisations: [
    { name: 'Harbour', plan: 'enterprise', projects: ['shop', 'catalogue'].map(projectDocument) },
  ],
};

function projectDocument(name: string): object {
  const changing: State = { ...on, trafficPercentage: 0 };
  const all: typeof flags = [...flags, [changingFlag, changing]];
  const tokens = [{ name: 'ci', permission: 'write' }];
  if (name === 'shop')
    return { name, audiences, tokens, flags: all.map(([flag, state]) => ({ name: flag, ...state })) };
  return {
    name,
    environments: ['production', 'staging'],
    audiences,
    tokens,
    flags: all.map(([flag, production, staging = production]) => {
      const { cohorts, ...state } = production;
      const { cohorts: inStaging, ...stagingState } = staging;
      // The cohort list of the flag itself holds in both environments.
      const shared = cohorts ?? inStaging;
      return {
        name: flag,
        ...(shared === undefined ? {} : { cohorts: shared }),
        environments: { production: state, staging: stagingState },
      };
    }),
  };
}

/** Most of them are outside ASCII: a provider that hashes half of those differently must show it in every run. */
const otherKeys = ['käufer', 'søren', '顧客', '客人', '😀', 'Ελένη', 'a b', 'a+b', '%41', "o'neill"];
const cohorts = ['ada', 'alpha-testers', 'søren', 'nobody'];
const otherCohorts: readonly ContextValue[] = [0, 42, true, ['nobody', 'ada'], [42, 'x']];

/** Names of context fields, each with its probability and the values that it takes. */
const attributes: readonly (readonly [name: string, probability: number, values: readonly ContextValue[]])[] =
  [
    ['plan', 0.6, ['pro', 'free', 'Pro', '', ['free', 'pro'], ['team'], ['free'], 0, [0]]],
    ['country', 0.5, ['DK', 'NO', 'SE', 'DE', ['DE', 'SE']]],
    ['seats', 0.5, [5, 42, 1.5, 7, '42', -0.25, 1_000_000, 0, ['x', 42, true]]],
    ['beta', 0.3, [true, false, 'true', null, 0, 7, [42], ['x', 7, true]]],
    ['city', 0.3, ['Malmö', '東京', 'Malmo']],
    ['address', 0.1, [{ city: 'Malmö' }]],
    // The environment of the address wins.
    ['env', 0.1, ['elsewhere', 'staging']],
  ];

function targetingKey(random: Random): string {
  const number = random.integer(1, 10_000);
  return random.chance(0.4) ? `${random.pick(otherKeys)} ${number}` : `user-${number}`;
}

function contextOf(random: Random): QuestionContext {
  const context: Record<string, ContextValue> = {};
  for (const [name, probability, values] of attributes) {
    if (random.chance(probability)) context[name] = random.pick(values);
  }
  const hasKey = random.chance(0.85);
  if (hasKey) context['targetingKey'] = targetingKey(random);
  if (random.chance(0.3)) context['cohort'] = random.pick(cohorts);
  else if (random.chance(0.1)) context['cohort'] = random.pick(otherCohorts);
  return context;
}

/** The same questions for the same seed. */
export function makeQuestions(count: number, seed: number): readonly Question[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({
    target: random.integer(0, targets.length - 1),
    flag: random.pick(flags)[0],
    isAskedById: random.chance(0.5),
    context: contextOf(random),
  }));
}

/** The key that decides a question about a partial rollout; null where it is a roll, or where the flag has none. */
export function bucketingKeyOf({ target, flag, context }: Question): string | null {
  const found = flags.find(([name]) => name === flag);
  if (found === undefined) throw new Error(`no question asks for ${flag}`);
  const [, state, inStaging = state] = found;
  const { trafficPercentage } = targets[target]?.environment === 'staging' ? inStaging : state;
  if (trafficPercentage === 0 || trafficPercentage === 100) return null;
  const [cohort] = [context['cohort'] ?? null].flat();
  const key = context['targetingKey'] ?? cohort;
  return key === null || key === undefined ? null : String(key);
}
