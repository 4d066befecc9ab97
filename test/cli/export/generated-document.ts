import { isName } from '../../../src/domain/name-rules.ts';
import { isWellFormed } from '../../../src/support/code-points.ts';
import fc from '../../support/fast-check.ts';

/** Names that have caused faults before, and arbitrary ones. */
const names = fc
  .oneof(
    fc.constantFrom('__proto__', 'constructor', 'é', 'e\u0301', '😀', '\ufffd', 'a"b\\c', 'ﬀ'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
  )
  .map((name) => name.trim())
  .filter((name) => isName(name) && isWellFormed(name));
const texts = fc.string({ unit: 'grapheme', maxLength: 20 });
const fullTexts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 });
const environmentNames = fc.constantFrom(
  'production',
  'staging',
  'dev',
  '__proto__',
  'constructor',
  'a.b-c_d',
);

const audiences = fc.record({
  name: names,
  rules: fc.array(
    fc.record({ attribute: fullTexts, values: fc.array(texts, { minLength: 1, maxLength: 3 }) }),
    { minLength: 1, maxLength: 3 },
  ),
});

function stateOf(audienceNames: readonly string[]) {
  return fc.record(
    {
      enabled: fc.boolean(),
      trafficPercentage: fc.integer({ min: 0, max: 100 }),
      cohorts: fc.array(fullTexts, { maxLength: 3 }),
      audience: fc.constantFrom(null, ...audienceNames),
    },
    { requiredKeys: [] },
  );
}

function flagOf(environments: readonly string[] | null, audienceNames: readonly string[]) {
  const labels = { name: names, description: texts, tags: fc.array(fullTexts, { maxLength: 3 }) };
  const state = stateOf(audienceNames);
  if (environments === null) {
    return fc.tuple(fc.record(labels), state).map(([flag, own]) => ({ ...flag, ...own }));
  }
  const states = fc
    .array(fc.tuple(fc.constantFrom('', ...environments), state), { maxLength: 3 })
    .map((pairs) => Object.fromEntries(pairs.filter(([name]) => name !== '')));
  return fc.record({ ...labels, cohorts: fc.array(fullTexts, { maxLength: 2 }), environments: states });
}

const tokens = fc.record(
  {
    name: names,
    permission: fc.constantFrom('read', 'write'),
    environments: fc.uniqueArray(environmentNames, { maxLength: 2 }),
    expiresAt: fc.constantFrom(0, 1, Date.now() + 86_400_000),
  },
  { requiredKeys: ['name', 'permission'] },
);

const unique = { selector: ({ name }: { name: string }) => name };

function projectWith(mayHaveTokens: boolean) {
  const shape = fc.record({
    environments: fc.option(fc.uniqueArray(environmentNames, { maxLength: 3 })),
    audiences: fc.uniqueArray(audiences, { ...unique, maxLength: 3 }),
  });
  return shape.chain(({ environments, audiences: declared }) => {
    const audienceNames = declared.map(({ name }) => name);
    return fc.record({
      ...{ name: names, evaluationAccess: fc.boolean(), audiences: fc.constant(declared) },
      ...(environments === null
        ? {}
        : {
            environments: fc.constant(environments),
            protectedEnvironments: fc.subarray(environments),
          }),
      flags: fc.uniqueArray(flagOf(environments, audienceNames), { ...unique, maxLength: 5 }),
      ...(environments === null ? { isProtected: fc.boolean() } : {}),
      ...(mayHaveTokens ? { tokens: fc.uniqueArray(tokens, { ...unique, maxLength: 3 }) } : {}),
    });
  });
}

const emails = fc.integer({ min: 1, max: 50 }).map((number) => `Person${number}@example.test`);
const members = fc.record({
  name: names,
  email: emails,
  role: fc.constantFrom('viewer', 'editor', 'admin', 'owner'),
});

const organisations = fc.record({
  name: names,
  plan: fc.constantFrom('free', 'teams', 'enterprise'),
  trialEndsAt: fc.option(fc.integer({ min: 0, max: 2 ** 41 })),
  subscription: fc.constantFrom('active', 'lapsed'),
  members: fc.uniqueArray(members, { selector: ({ email }) => email, maxLength: 3 }),
  projects: fc.array(projectWith(true), { maxLength: 2 }),
});

/** Documents that `apply` accepts: project names are unique in the whole file. */
export const exportedDocuments = fc
  .record({
    organisations: fc.uniqueArray(organisations, { ...unique, maxLength: 3 }),
    personalProjects: fc.array(
      fc.tuple(projectWith(false), fc.integer({ min: 1, max: 3 })).map(([project, number]) => ({
        ...project,
        owner: `alone${number}@example.test`,
      })),
      { maxLength: 2 },
    ),
  })
  .map(({ organisations: declared, personalProjects }) => {
    const seen = new Set<string>();
    const isNew = ({ name }: { name: string }): boolean => !seen.has(name) && seen.add(name).size > 0;
    let count = 0;
    const withSlug = <Project extends { name: string }>(project: Project) => {
      count += 1;
      return count % 2 === 0 ? project : { ...project, slug: `slug-${count}`, isSlugPublic: count % 3 === 0 };
    };
    return {
      organisations: declared.map((it) => ({ ...it, projects: it.projects.filter(isNew).map(withSlug) })),
      personalProjects: personalProjects.filter(isNew).map(withSlug),
    };
  });
