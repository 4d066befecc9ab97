import { type Flag, type FlagState, initialState } from '../../../src/domain/flag/flag.ts';
import { parseBody, type RequestBody } from '../../../src/domain/management/request-body.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import fc from '../../support/fast-check.ts';

export const audienceId = 'Audience000000000001';
export const isKnownAudience = (id: string): boolean => id === audienceId;

const encoder = new TextEncoder();

/** A request body as it arrives. */
export function bodyOf(value: unknown): RequestBody {
  return parseBody(encoder.encode(typeof value === 'string' ? value : JSON.stringify(value)));
}

/** @param environments of a multi-environment project, numbered from 1; null for a single-environment one. */
export function projectWith(environments: readonly string[] | null): Project {
  return {
    id: 'Project0000000000001',
    name: 'shop',
    organisationId: 'Organisation00000001',
    ownerMemberId: null,
    isMultiEnvironment: environments !== null,
    environments: (environments ?? []).map((name, index) => ({
      number: index + 1,
      name,
      isProtected: false,
    })),
    nextEnvironmentNumber: (environments?.length ?? 0) + 1,
    environmentsRevision: 1,
    evaluationAccess: true,
    isProtected: false,
    slugs: [],
    isSlugPublic: false,
    createdAt: 1000,
    revision: 1,
  };
}

export const flagUpdatedAt = 5000;

export function flagWith(states: Record<number, Partial<FlagState>>, cohorts: readonly string[] = []): Flag {
  const entries = Object.entries(states).map(([number, state]): [number, FlagState] => [
    Number(number),
    { ...initialState, ...state },
  ]);
  return {
    id: 'Flag0000000000000001',
    projectId: 'Project0000000000001',
    name: 'checkout',
    nameSince: 1000,
    aliases: [],
    description: '',
    tags: [],
    cohorts,
    states: new Map(entries),
    revision: 1,
    createdAt: 1000,
    updatedAt: flagUpdatedAt,
  };
}

const cohortList = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });

/** Any state in an environment; an override is never empty. */
export const anyState: fc.Arbitrary<FlagState> = fc.record({
  enabled: fc.boolean(),
  trafficPercentage: fc.integer({ min: 0, max: 100 }),
  cohortOverride: cohortList.map((list) => (list.length === 0 ? null : list)),
  audienceId: fc.constantFrom(null, audienceId),
});

/** A flag with a state in environment 1, and optionally a flag-wide list. */
export const anyFlag: fc.Arbitrary<Flag> = fc
  .tuple(fc.option(anyState, { nil: null }), cohortList)
  .map(([state, cohorts]) => flagWith(state === null ? {} : { 1: state }, cohorts));

/** A valid, non-empty patch body. */
export const anyPatchBody: fc.Arbitrary<object> = fc
  .record(
    {
      enabled: fc.boolean(),
      trafficPercentage: fc.constantFrom(0, -0, 50, 100),
      cohorts: cohortList,
      audienceId: fc.constantFrom(null, audienceId),
    },
    { requiredKeys: [] },
  )
  .filter((body) => Object.keys(body).length > 0);
