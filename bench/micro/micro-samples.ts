import type { Audience } from '../../src/domain/evaluation/audience.ts';
import {
  type EvaluableAudience,
  evaluableAudienceOf,
} from '../../src/domain/evaluation/compiled-audience.ts';
import { type CompiledFlag, compileFlag } from '../../src/domain/evaluation/compiled-flag.ts';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { type Project, soleEnvironment } from '../../src/domain/project/project.ts';

/** Flags and queries like those of the scenarios' loads, the same in every process. */
export const sampleProject: Project = {
  id: 'BenchProjectBenchPro',
  name: 'bench',
  organisationId: 'BenchOrganisationBen',
  ownerMemberId: null,
  isMultiEnvironment: false,
  environments: [],
  nextEnvironmentNumber: 1,
  environmentsRevision: 1,
  evaluationAccess: true,
  isProtected: false,
  slugs: [],
  isSlugPublic: false,
  createdAt: 1,
  revision: 1,
};

const sampleAudience: Audience = {
  id: 'BenchAudienceBenchAu',
  projectId: sampleProject.id,
  name: 'Pro in Europe',
  rules: [
    { attribute: 'plan', values: ['pro', 'team', 'enterprise'] },
    { attribute: 'region', values: ['eu', 'uk'] },
  ],
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
};

export function sampleAudienceById(id: string): Audience | undefined {
  return id === sampleAudience.id ? sampleAudience : undefined;
}

/** In the form that evaluation reads. */
export function sampleEvaluableAudience(): EvaluableAudience {
  return evaluableAudienceOf(sampleAudience);
}

/** At 50 %, every third with cohorts, every fourth with an audience. */
function sampleFlag(index: number): Flag {
  const cohorts = index % 3 === 0 ? ['alpha-testers', 'staff', `customer-${index}`] : null;
  return {
    id: `BenchFlag${String(index).padStart(11, '0')}`,
    projectId: sampleProject.id,
    name: `checkout-step-${index}`,
    nameSince: 1,
    aliases: [],
    description: 'Shows the new step of the checkout.',
    tags: ['shop', 'checkout'],
    cohorts: [],
    states: new Map([
      [
        soleEnvironment,
        {
          enabled: true,
          trafficPercentage: 50,
          cohortOverride: cohorts,
          audienceId: index % 4 === 0 ? sampleAudience.id : null,
        },
      ],
    ]),
    revision: 1 + index,
    createdAt: 1_767_225_600_000,
    updatedAt: 1_767_225_600_000 + index,
  };
}

export const sampleFlags: readonly Flag[] = Array.from({ length: 1000 }, (_unused, index) =>
  sampleFlag(index),
);

/** A flag with a list so long that it is searched in the record and indexed. */
export const sampleLongFlags: readonly Flag[] = sampleFlags.slice(0, 20).map((flag) => ({
  ...flag,
  cohorts: Array.from({ length: 1000 }, (_unused, member) => `customer-${member}`),
  states: new Map(Array.from(flag.states, ([number, state]) => [number, { ...state, cohortOverride: null }])),
}));

export function compileSamples(): readonly CompiledFlag[] {
  return sampleFlags.map((flag) => compileFlag(flag, sampleProject, sampleAudienceById));
}

function sampleQuery(index: number): string {
  const kind = index % 20;
  if (kind < 12) return `targetingKey=user-${(index * 7919) % 100_000}`;
  if (kind < 16) return `cohort=customer-${index}%40example.test`;
  if (kind < 19) return `plan=pro&region=eu&device=phone&targetingKey=user-${index}`;
  return 'cohort=alpha-testers';
}

/**
 * 60 % with a targeting key, 25 % with a cohort (some escaped), 15 % with attributes. Each is a flat string in V8, as a
 * request's query is, and not a tree of concatenated parts.
 */
export const sampleQueries: readonly string[] = Array.from({ length: 1000 }, (_unused, index) =>
  Buffer.from(sampleQuery(index)).toString('latin1'),
);
