import type { DeclaredFlag, DeclaredState } from '../../src/contracts/provision/declared-flag.ts';
import type { DeclaredProject } from '../../src/contracts/provision/declared-project.ts';
import type { ProvisionedPart } from './provision-file.ts';
import { SeededRandom } from './seeded-random.ts';

/** The attributes of the audiences' rules, with the values that requests may have. */
export const attributeValues = {
  plan: ['free', 'pro', 'team', 'enterprise'],
  country: ['DE', 'FR', 'GB', 'US', 'BR', 'JP', 'KE', 'IN'],
  platform: ['ios', 'android', 'web'],
  appVersion: ['5.1', '5.2', '5.3', '5.4'],
} as const;

const audiences: NonNullable<DeclaredProject['audiences']> = [
  {
    name: 'Paying customers on phones',
    rules: [
      { attribute: 'plan', values: ['pro', 'team', 'enterprise'] },
      { attribute: 'country', values: ['DE', 'FR', 'GB', 'US', 'BR', 'JP'] },
      { attribute: 'platform', values: ['ios', 'android'] },
      { attribute: 'appVersion', values: ['5.2', '5.3', '5.4'] },
    ],
  },
  {
    name: 'Trial countries on the web',
    rules: [
      { attribute: 'plan', values: ['free', 'pro'] },
      { attribute: 'country', values: ['US', 'BR', 'KE', 'IN'] },
      { attribute: 'platform', values: ['web', 'android'] },
      { attribute: 'appVersion', values: ['5.3', '5.4'] },
    ],
  },
];
const audienceNames = ['Paying customers on phones', 'Trial countries on the web'] as const;

/** An environment for each last digit of a flag's index. */
const projectNames = [
  'shop',
  'search',
  'accounts',
  'payments',
  'mobile',
  'support',
  'media',
  'platform',
  'analytics',
  'intranet',
] as const;
const areas = ['checkout', 'search', 'profile', 'billing', 'player', 'inbox', 'editor', 'reports'] as const;
const features = [
  'dark-mode',
  'one-click',
  'suggestions',
  'new-layout',
  'fast-path',
  'bulk-actions',
  'preview',
  'offline',
  'two-factor',
  'live-updates',
] as const;
/** The project whose flags have a state in each environment. */
const multiEnvironmentDigit = 7;
/** A million flags are in a hundred projects. */
const flagsOfProjectMax = 10_000;
const writeTokenName = 'bench-write';
const environments = ['production', 'staging', 'development'] as const;
/** Number of different users, as targeting keys and as cohorts. */
export const usersMax = 100_000;
/** Every hundredth flag has this many cohorts, the others a few or none. */
const manyCohorts = 300;

/** Where a flag of the mix is. Flags are numbered by popularity; 0 is requested most. */
export interface MixedFlagPath {
  readonly project: string;
  readonly flag: string;
  /** The value of `env` in requests; null in a single-environment project. */
  readonly environment: string | null;
  readonly writeToken: string;
}

export function placeMixedFlag(index: number, count: number): MixedFlagPath {
  const digit = index % projectNames.length;
  const group = Math.floor(index / projectNames.length) % groupsOf(count);
  return {
    project: projectName(digit, group),
    flag: flagName(index),
    environment: digit === multiEnvironmentDigit ? environments[0] : null,
    writeToken: writeTokenName,
  };
}

function groupsOf(count: number): number {
  return Math.ceil(count / (projectNames.length * flagsOfProjectMax));
}

function projectName(digit: number, group: number): string {
  const name = projectNames[digit] ?? '';
  return group === 0 ? name : `${name}-${group + 1}`;
}

function flagName(index: number): string {
  return `${areas[index % areas.length]}-${features[Math.floor(index / 3) % features.length]}-${index}`;
}

/** The effective cohorts of a flag of the mix, in the environment that requests name. Most flags have none. */
export function mixedCohorts(index: number): readonly string[] {
  const random = new SeededRandom(1, index);
  const isListed = index % 20 >= 12 && index % 20 < 16;
  const length = index % 100 === 13 ? manyCohorts : isListed ? 1 + random.below(20) : 0;
  return Array.from({ length }, () => userName(random.below(usersMax)));
}

export function userName(number: number): string {
  return `user-${number}`;
}

/**
 * Seven flags in ten use a percentage, some of them with cohorts. One in five uses an audience. The rest are on or off.
 */
export function mixedState(index: number): DeclaredState {
  const random = new SeededRandom(2, index);
  const cohorts = [...mixedCohorts(index)];
  const kind = index % 20;
  if (kind === 18) return { enabled: true, trafficPercentage: 100 };
  if (kind === 19) return { enabled: false };
  const state: DeclaredState = { enabled: true, trafficPercentage: 5 + random.below(91) };
  if (kind >= 8 && kind < 12) return { ...state, audience: random.pick(audienceNames) };
  return cohorts.length === 0 ? state : { ...state, cohorts };
}

function mixedFlag(index: number, isMultiEnvironment: boolean): DeclaredFlag {
  const labels = { name: flagName(index), tags: [areas[index % areas.length] ?? ''] };
  const state = mixedState(index);
  if (!isMultiEnvironment) return { ...labels, ...state };
  return { ...labels, environments: { production: state, staging: { ...state, trafficPercentage: 100 } } };
}

/**
 * `count` flags in projects of at most 10,000, each with a write token; one project in ten has environments. A flag's
 * state follows from its index alone, so the most popular flags are the same for every `count`.
 */
export function* mixedProvision(count: number): Generator<ProvisionedPart> {
  for (let group = 0; group < groupsOf(count); group += 1) {
    for (let digit = 0; digit < projectNames.length; digit += 1) {
      const isMultiEnvironment = digit === multiEnvironmentDigit;
      yield {
        name: projectName(digit, group),
        audiences,
        ...(isMultiEnvironment ? { environments: [...environments] } : {}),
        tokens: [{ name: writeTokenName, permission: 'write' }],
        flags: flagsOfProject(count, digit, group),
      };
    }
  }
}

function* flagsOfProject(count: number, digit: number, group: number): Generator<DeclaredFlag> {
  const step = projectNames.length * groupsOf(count);
  for (let index = group * projectNames.length + digit; index < count; index += step) {
    yield mixedFlag(index, digit === multiEnvironmentDigit);
  }
}

/** A project `name` with one flag, `half`, that is on for half of the targeting keys. */
export function halfFlagProject(name: string): ProvisionedPart {
  return { name, flags: [{ name: 'half', enabled: true, trafficPercentage: 50 }] };
}

/** A project without environments that has the flags of the mix, all of them. */
export function projectOfSize(name: string, count: number): ProvisionedPart {
  return {
    name,
    audiences,
    flags: Array.from({ length: count }, (_unused, index) => mixedFlag(index, false)),
  };
}
