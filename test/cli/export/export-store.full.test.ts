import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type ExportOptions, exportStore } from '../../../src/cli/export/export-store.ts';
import { usesOfAudience } from '../../../src/domain/audience/audience-uses.ts';
import {
  exampleDocument,
  type OpenedOperator,
  openOperator,
  problemsOf,
} from '../../operator/open-operator.ts';
import { flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import fc from '../../support/fast-check.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { exportedDocuments } from './generated-document.ts';

const all: Omit<ExportOptions, 'output'> = {
  filter: { organisation: null, project: null },
  timeLimitMs: 60_000,
  isSkipping: false,
};

async function exported(
  test: Test,
  directory: string,
  options: Partial<ExportOptions> = {},
): Promise<string> {
  const output = join(temporaryDirectory(test), 'export.json');
  await exportStore(directory, { ...all, ...options, output });
  return readFileSync(output, 'utf8');
}

async function applied(into: OpenedOperator, document: unknown) {
  const outcome = await into.apply(document);
  if (!outcome.ok) throw new Error(outcome.problems.join('\n'));
  return outcome.counts;
}

/** All records of flags, projects, audiences, tokens, organisations and members. */
function recordsOf({ reader }: OpenedOperator) {
  const { queries } = reader();
  return [...queries.projects()].map((project) => ({
    project,
    organisation: queries.organisation(project.organisationId ?? ''),
    flags: [...queries.flagsOf(project.id)],
    audiences: [...queries.audiencesOf(project.id)],
    tokens: [...queries.tokensOf(project.id)],
    members: [...queries.members()],
  }));
}

function idsOf(operator: OpenedOperator) {
  return recordsOf(operator)
    .map(({ project, flags }) => [project.id, ...flags.map(({ id }) => id)])
    .sort();
}

/**
 * Makes changes that come with time: revokes a token, and deletes an environment and an audience that only this
 * environment used.
 */
function age({ store, reader }: OpenedOperator): void {
  const { queries } = reader();
  for (const project of [...queries.projects()]) {
    const [token] = queries.tokensOf(project.id);
    if (token !== undefined) {
      const after = { ...token, revokedAt: 5, revision: token.revision + 1 };
      store.write(({ apply }) => apply([{ kind: 'token', before: token, after }]));
    }
    const [gone, ...environments] = project.environments;
    if (gone === undefined) continue;
    const after = { ...project, environments, revision: project.revision + 1 };
    const unused = [...queries.audiencesOf(project.id)].filter(({ id }) => {
      return usesOfAudience(id, after, queries.flagsNaming(project.id, id)).useCount === 0;
    });
    const removals = unused.map((before) => ({ kind: 'audience', before, after: null }) as const);
    store.write(({ apply }) => apply([{ kind: 'project', before: project, after }, ...removals]));
  }
}

t.test(
  "applying any store's export changes nothing, and rebuilds the same in an empty store",
  async (test) => {
    const holds = async (document: unknown, isAged: boolean): Promise<boolean> => {
      const results = await test.test('a generated store', async (step) => {
        const first = openOperator(step);
        await applied(first, document);
        if (isAged) age(first);
        const text = await exported(step, first.directory);
        const before = recordsOf(first);
        step.match(await applied(first, text), { created: 0, changed: 0 });
        step.strictSame(recordsOf(first), before);
        const second = openOperator(step);
        step.match(await applied(second, text), { changed: 0, unchanged: 0 });
        step.equal(await exported(step, second.directory), text);
        step.strictSame(idsOf(second), idsOf(first));
      });
      return results?.ok === true;
    };
    await fc.assert(fc.asyncProperty(exportedDocuments, fc.boolean(), holds), { numRuns: 25 });
  },
);

t.test('the export of the documented example equals the example, without secrets', async (test) => {
  const operator = openOperator(test);
  await applied(operator, exampleDocument);
  const text = await exported(test, operator.directory);
  const document = JSON.parse(text);
  test.strictSame(document.organisations[0].members, [
    { name: 'Owner', email: 'owner@example.test', role: 'owner' },
  ]);
  const [project] = [...operator.reader().queries.projects()];
  test.match(document.organisations[0].projects[0], { id: project?.id, flags: [{ id: /^\w{20}$/ }] });
  test.strictSame(document.organisations[0].projects[0].flags[0].environments, {
    production: { enabled: false, trafficPercentage: 0, cohorts: [], audience: null },
    staging: { enabled: true, trafficPercentage: 50, cohorts: ['own'], audience: 'Pro' },
  });
  test.strictSame(document.organisations[0].projects[0].tokens, [
    { name: 'ci', permission: 'write', expiresAt: 0, environments: ['staging'] },
  ]);
  test.notMatch(text, /argon2|secret|burgee_|\$/i);
});

t.test("applying an older export restores a flag's state", async (test) => {
  const operator = openOperator(test);
  await applied(operator, exampleDocument);
  const text = await exported(test, operator.directory);
  const [flag] = [...operator.reader().queries.projects()].flatMap(({ id }) => [
    ...operator.reader().queries.flagsOf(id),
  ]);
  if (flag === undefined) throw new Error('the example has a flag');
  const on = { enabled: true, trafficPercentage: 100, cohortOverride: ['all'], audienceId: null };
  const changed = {
    ...flag,
    states: new Map([
      [1, on],
      [2, on],
    ]),
    description: 'changed',
    tags: ['x'],
  };
  operator.store.write(({ apply }) => apply([flagChangeOf(flag, changed)]));
  test.match(await applied(operator, text), { created: 0, changed: 1 });
  test.equal(await exported(test, operator.directory), text);
});

t.test('ambiguous names are refused, or left out with --skip-ambiguous', async (test) => {
  const operator = openOperator(test);
  await applied(operator, exampleDocument);
  const { queries } = operator.reader();
  const [project] = queries.projects();
  if (project === undefined) throw new Error('the example has a project');
  const later = flagOf(project.id, { name: 'twice', nameSince: null, states: new Map() });
  operator.store.write(({ apply }) =>
    apply([
      flagChangeOf(null, flagOf(project.id, { name: 'twice', states: new Map() })),
      flagChangeOf(null, later),
      { kind: 'project', before: null, after: projectOf(project.organisationId, { name: 'other' }) },
    ]),
  );
  const output = join(temporaryDirectory(test), 'export.json');
  const refused = exportStore(operator.directory, { ...all, output });
  await test.rejects(refused, {
    message: /--skip-ambiguous/,
    problems: [`project "shop": flag ${later.id} does not answer to its name, "twice"`],
  });
  test.notOk(existsSync(output));
  test.notOk(existsSync(`${output}.partial`), 'no partial file is left');
  const { flags, leftOut } = await exportStore(operator.directory, { ...all, output, isSkipping: true });
  test.equal(flags, 2);
  test.match(leftOut, [/twice/]);
  test.same(problemsOf(await operator.apply(readFileSync(output, 'utf8'))), []);
  test.equal(statSync(output).mode & 0o777, 0o600);
});

t.test('one organisation or one project can be exported alone', async (test) => {
  const operator = openOperator(test);
  const project = (name: string) => ({ name, flags: [{ name: 'flag' }] });
  await applied(operator, {
    organisations: [
      { name: 'Acme', plan: 'free', projects: [project('a'), project('b')] },
      { name: 'Beta', plan: 'free', projects: [project('c')] },
    ],
    personalProjects: [{ ...project('d'), owner: 'me@example.test' }],
  });
  const names = async (filter: Partial<ExportOptions['filter']>) => {
    const text = await exported(test, operator.directory, { filter: { ...all.filter, ...filter } });
    const { organisations, personalProjects } = JSON.parse(text);
    const nameOf = ({ name }: { name: string }) => name;
    return [
      ...organisations.flatMap((it: { name: string; projects: { name: string }[] }) => [
        it.name,
        ...it.projects.map(nameOf),
      ]),
      ...personalProjects.map(nameOf),
    ];
  };
  test.same(await names({}), ['Acme', 'a', 'b', 'Beta', 'c', 'd']);
  test.same(await names({ organisation: 'Beta' }), ['Beta', 'c']);
  test.same(await names({ project: 'b' }), ['Acme', 'b']);
  test.same(await names({ project: 'd' }), ['d']);
  await test.rejects(names({ project: 'e' }), /Nothing in the store has this name or id/);
});

t.test('an export that takes too long is given up', async (test) => {
  const operator = openOperator(test);
  const flags = Array.from({ length: 10_000 }, (_, number) => ({ name: `flag ${number}` }));
  await applied(operator, { personalProjects: [{ name: 'p', owner: 'me@example.test', flags }] });
  const output = join(temporaryDirectory(test), 'export.json');
  const late = exportStore(operator.directory, { ...all, output, timeLimitMs: 1 });
  await test.rejects(late, /given up.*--time-limit/);
  test.notOk(existsSync(output));
});
