import t from 'tap';
import { Value } from 'typebox/value';
import { flagRepresentationSchema } from '../../src/contracts/management/flag-representation.ts';
import { tokenDescriptionSchema } from '../../src/contracts/management/token-description.ts';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { flagView } from '../../src/domain/flag/flag-view.ts';
import type { Project } from '../../src/domain/project/project.ts';
import { type Token, tokenView } from '../../src/domain/token/token.ts';
import { newId } from '../../src/support/random-id.ts';

function project(environmentNames: readonly string[], isMultiEnvironment: boolean): Project {
  return {
    id: newId(),
    name: 'shop',
    organisationId: newId(),
    ownerMemberId: null,
    isMultiEnvironment,
    environments: environmentNames.map((name, index) => ({ number: index + 1, name, isProtected: false })),
    nextEnvironmentNumber: environmentNames.length + 1,
    environmentsRevision: 1,
    evaluationAccess: true,
    createdAt: 1,
    revision: 1,
  };
}

function flagOf({ id }: Project, cohorts: readonly string[]): Flag {
  return {
    id: newId(),
    projectId: id,
    name: 'checkout',
    description: '',
    tags: [],
    cohorts,
    states: new Map([
      [0, { enabled: true, trafficPercentage: 50, cohortOverride: ['ada'], audienceId: newId() }],
      [1, { enabled: true, trafficPercentage: 50, cohortOverride: ['ada'], audienceId: null }],
    ]),
    revision: 1,
    createdAt: 1,
    updatedAt: 1767225600000,
  };
}

function problemsOf(view: object): unknown[] {
  return [...Value.Errors(flagRepresentationSchema, JSON.parse(JSON.stringify(view)))];
}

t.test("every view of a flag fits the wire's schema", async (t) => {
  const alone = project([], false);
  t.same(problemsOf(flagView(flagOf(alone, []), alone, null)), [], 'single-environment');
  const several = project(['production', '__proto__', 'constructor'], true);
  const group = flagOf(several, ['flag-wide']);
  t.same(problemsOf(flagView(group, several, null)), [], 'environments form');
  for (const environment of several.environments) {
    t.same(problemsOf(flagView(group, several, environment)), [], `flat, in ${environment.name}`);
  }
  const none = project([], true);
  t.same(problemsOf(flagView(flagOf(none, []), none, null)), [], 'a project without environments yet');
});

t.test("a token's view fits the wire's schema, limited to environments or not", async (t) => {
  const shop = project(['staging'], true);
  for (const environments of [null, ['staging']]) {
    const token: Token = {
      id: newId(),
      projectId: shop.id,
      name: 'ci',
      permission: 'write',
      environments,
      expiresAt: 0,
      createdBy: null,
      createdAt: 1,
      revokedAt: null,
      secretHash: new Uint8Array(32),
      denialEmailedAt: 0,
      revision: 1,
    };
    const view: unknown = JSON.parse(JSON.stringify(tokenView(token, shop)));
    t.same([...Value.Errors(tokenDescriptionSchema, view)], []);
  }
});
