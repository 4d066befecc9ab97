import t, { type Test } from 'tap';
import {
  audienceBytesMax,
  audiencesMax,
  environmentsMax,
  flagCohortBytesMax,
  flagsMax,
  membersMax,
  personalProjectsMax,
  projectsMax,
} from '../../src/domain/bounds.ts';
import type { FlagState } from '../../src/domain/flag/flag.ts';
import { initialState } from '../../src/domain/flag/flag.ts';
import { checkStore } from '../../src/storage/check.ts';
import { newId } from '../../src/support/random-id.ts';
import { applyProvision } from '../../src/writer/thread/commands/apply-provision.ts';
import { audienceOf, flagChangeOf, flagOf, memberOf, projectOf } from '../storage/support/records.ts';
import { type ConsoleFixture, openConsole } from './console/console-fixture.ts';
import { openFixture } from './management/management-fixture.ts';

/** @returns cohorts of so many bytes of UTF-8 in all; a multiple of 256 */
function cohortsOf(bytes: number, letter = 'c'): readonly string[] {
  return Array.from({ length: bytes / 256 }, (_, index) => `${index}`.padStart(256, letter));
}

/** A rule of so many bytes, with the length in front of each value. */
function rulesOf(bytes: number) {
  const values = Array.from({ length: bytes / 128 }, (_, index) => `${index}`.padStart(126, 'v'));
  return [{ attribute: 'a', values }];
}

const mebibyte = flagCohortBytesMax;
const names = Array.from({ length: environmentsMax }, (_, index) => `e${index}`);
const own = (cohorts: readonly string[]): FlagState => ({ ...initialState, cohortOverride: cohorts });

/** Applies a document to the fixture's store. @returns the problems; nothing is stored if there are any */
function apply(fixture: ConsoleFixture, projects: readonly object[], members: readonly object[] = []) {
  const { name, plan } = fixture.organisation;
  const document = { organisations: [{ name, plan, members, projects }] };
  const request = { document: structuredClone(document), passwords: new Map() };
  const context = { now: fixture.now, newId };
  let problems: readonly string[] = [];
  const undone = new Error('undone');
  try {
    fixture.store.write((transaction) => {
      const outcome = applyProvision(transaction, request as never, context as never, () => undefined);
      if (outcome.ok) return;
      problems = outcome.problems;
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return problems.join('; ');
}

interface Case {
  readonly what: string;
  /** What both attempts find. */
  readonly prepare?: (fixture: ConsoleFixture) => void;
  /** @returns the detail of a 400, empty if it was stored */
  readonly attempt: (fixture: ConsoleFixture, isBeyond: boolean) => string;
  readonly detail: RegExp;
}

const single = (fixture: ConsoleFixture) =>
  fixture.query(({ projects }) => [...projects()].find(({ name }) => name === 'one')) ??
  fixture.addProject(null, { name: 'one' });
const multi = (fixture: ConsoleFixture) =>
  fixture.query(({ projects }) => [...projects()].find(({ name }) => name === 'many')) ??
  fixture.addProject(names, { name: 'many' });
const write = (fixture: ConsoleFixture, ...asked: Parameters<ConsoleFixture['write']>): string => {
  const outcome = fixture.write(...asked);
  if (outcome.code === 'ok') return '';
  t.equal(outcome.code, 'invalid-request');
  t.strictSame(outcome.changes, [], 'nothing is stored');
  return outcome.detail;
};

const withPadded = (padded: string, isBeyond: boolean) => ['ada@example.test', ...(isBeyond ? [padded] : [])];

const cohortFault = /cohorts: all lists of this flag .* at most 1048576 \(1 MiB\).*audience attribute/;
const viewFault = /cohorts: .* 100 environments .*8388608 bytes \(8 MiB\).*audience attribute/;
const audienceFault = /rules: .* at most 262144 \(256 KiB\)/;

const cases: readonly Case[] = [
  {
    what: 'a cohort with a carriage return, in a flag that the console creates',
    attempt: (fixture, isBeyond) => {
      const cohorts = withPadded('bob\r', isBeyond);
      return write(fixture, 'create-console-flag', {
        project: single(fixture),
        body: { name: isBeyond ? 'b' : 'a', cohorts },
      });
    },
    detail: /^cohorts: the cohort "bob\\r" begins or ends with white space; send it without$/,
  },
  {
    what: 'a cohort of spaces, in the list of an environment in the console',
    attempt: (fixture, isBeyond) => {
      const project = multi(fixture);
      const { id } = fixture.addFlag(project, { states: new Map() });
      const body = { revision: 1, states: { 2: { cohorts: withPadded('  ', isBeyond) } } };
      return write(fixture, 'edit-flag', { project, params: { flagId: id }, body });
    },
    detail: /^cohorts: the cohort " {2}" begins or ends with white space/,
  },
  {
    what: 'a cohort with a byte order mark, applied',
    attempt: (fixture, isBeyond) => {
      const cohorts = withPadded('\uFEFFbob', isBeyond);
      return apply(fixture, [{ name: 'applied', flags: [{ name: 'a', cohorts }] }]);
    },
    detail: /^organisations\[0\].projects\[0\].flags\[0\].cohorts: the cohort "\uFEFFbob" begins/,
  },
  {
    what: 'the lists of a flag that the console creates',
    attempt: (fixture, isBeyond) =>
      write(fixture, 'create-console-flag', {
        project: single(fixture),
        body: { name: 'a', cohorts: cohortsOf(mebibyte + (isBeyond ? 256 : 0)) },
      }),
    detail: cohortFault,
  },
  {
    what: 'the lists of several environments together, in the console',
    attempt: (fixture, isBeyond) => {
      const project = multi(fixture);
      const states = new Map([[1, own(cohortsOf(mebibyte / 2))]]);
      const { id } = fixture.addFlag(project, { states });
      const cohorts = cohortsOf(mebibyte / 2 + (isBeyond ? 256 : 0), 'd');
      const body = { revision: 1, states: { 2: { cohorts } } };
      return write(fixture, 'edit-flag', { project, params: { flagId: id }, body });
    },
    detail: cohortFault,
  },
  {
    what: 'the lists of a flag that is applied',
    attempt: (fixture, isBeyond) => {
      const cohorts = cohortsOf(mebibyte + (isBeyond ? 256 : 0));
      return apply(fixture, [{ name: 'applied', flags: [{ name: 'a', cohorts }] }]);
    },
    detail: /^organisations\[0\].projects\[0\].flags\[0\].cohorts: all lists of this flag/,
  },
  {
    what: 'a flag-wide list that 100 environments repeat',
    attempt: (fixture, isBeyond) =>
      write(fixture, 'create-console-flag', {
        project: multi(fixture),
        body: { name: 'a', cohorts: cohortsOf((isBeyond ? 96 : 72) * 1024) },
      }),
    detail: viewFault,
  },
  {
    what: 'a flag-wide list that 100 environments repeat, applied',
    attempt: (fixture, isBeyond) => {
      const cohorts = cohortsOf((isBeyond ? 96 : 72) * 1024);
      return apply(fixture, [{ name: 'applied', environments: names, flags: [{ name: 'a', cohorts }] }]);
    },
    detail: viewFault,
  },
  {
    what: 'an environment with which a flag would be shown in more than 8 MiB',
    attempt: (fixture, isBeyond) => {
      const project = fixture.addProject(names.slice(0, 20));
      fixture.addFlag(project, { name: 'long', cohorts: cohortsOf((isBeyond ? 400 : 380) * 1024) });
      return write(fixture, 'create-environment', { project, body: { name: 'more' } });
    },
    detail: /name: with 21 environments the flag "long" \(\w{20}\) .*8388608 bytes \(8 MiB\)/,
  },
  {
    what: 'a new audience',
    attempt: (fixture, isBeyond) =>
      write(fixture, 'create-audience', {
        project: single(fixture),
        body: { name: isBeyond ? 'b' : 'a', rules: rulesOf(audienceBytesMax - (isBeyond ? 0 : 128)) },
      }),
    detail: audienceFault,
  },
  {
    what: 'a changed audience',
    attempt: (fixture, isBeyond) => {
      const project = single(fixture);
      const { id } = fixture.addAudience(project, { name: isBeyond ? 'b' : 'c' });
      const body = { revision: 1, rules: rulesOf(audienceBytesMax - (isBeyond ? 0 : 128)) };
      return write(fixture, 'edit-audience', { project, params: { audienceId: id }, body });
    },
    detail: audienceFault,
  },
  {
    what: 'an applied audience',
    attempt: (fixture, isBeyond) => {
      const rules = rulesOf(audienceBytesMax - (isBeyond ? 0 : 128));
      return apply(fixture, [{ name: 'applied', audiences: [{ name: 'a', rules }] }]);
    },
    detail: /^organisations\[0\].projects\[0\].audiences\[0\].rules: .* 262144/,
  },
  {
    what: 'flags of a project, in the console',
    prepare: (fixture) => addFlags(fixture, flagsMax - 1),
    attempt: (fixture, isBeyond) => {
      const project = single(fixture);
      if (isBeyond) addFlags(fixture, 1);
      return write(fixture, 'create-console-flag', { project, body: { name: 'last' } });
    },
    detail: /this project has 10000 flags, which is the limit; delete flags/,
  },
  {
    what: 'flags of a project, applied',
    attempt: (fixture, isBeyond) => {
      const flags = Array.from({ length: flagsMax + (isBeyond ? 1 : 0) }, (_, index) => ({
        name: `f${index}`,
      }));
      return apply(fixture, [{ name: isBeyond ? 'beyond' : 'within', flags }]);
    },
    detail: /^this project has 10000 flags/,
  },
  {
    what: 'records of a project',
    prepare: (fixture) => {
      const project = single(fixture);
      for (let flag = 0; flag < 62; flag += 1) {
        fixture.addFlag(project, { states: new Map([[0, own(cohortsOf(mebibyte))]]) });
      }
    },
    attempt: (fixture, isBeyond) => {
      const project = single(fixture);
      if (isBeyond) fixture.addFlag(project, { states: new Map([[0, own(cohortsOf(mebibyte / 2))]]) });
      const body = { name: 'last', cohorts: cohortsOf(mebibyte) };
      return write(fixture, 'create-console-flag', { project, body });
    },
    detail: /cohorts: the flags and audiences of this project .* 67108864 bytes \(64 MiB\); delete/,
  },
  {
    what: 'environments of an applied project',
    attempt: (fixture, isBeyond) =>
      apply(fixture, [{ name: 'applied', environments: [...names, ...(isBeyond ? ['more'] : [])] }]),
    detail: /^organisations\[0\].projects\[0\].environments must be at most 100/,
  },
  {
    what: 'projects of an organisation',
    prepare: (fixture) => addProjects(fixture, projectsMax - 1),
    attempt: (fixture, isBeyond) => {
      if (!isBeyond) return write(fixture, 'create-project', { body: projectBody });
      const applied = apply(fixture, [{ name: 'more' }]);
      t.match(applied, /^organisations\[0\].projects\[0\]: there are 1000 projects/);
      return write(fixture, 'create-project', { body: { ...projectBody, name: 'more' } });
    },
    detail: /there are 1000 projects in this organisation, which is the limit/,
  },
  {
    what: 'personal projects of a member',
    prepare: (fixture) => {
      const owned = { ownerMemberId: fixture.owner.id };
      const made = Array.from({ length: personalProjectsMax - 1 }, (_, at) =>
        projectOf(null, { name: `p${at}`, ...owned }),
      );
      fixture.apply(made.map((after) => ({ kind: 'project', before: null, after })));
    },
    attempt: (fixture, isBeyond) => {
      const body = { ...projectBody, name: isBeyond ? 'beyond' : 'last', isPersonal: true };
      return write(fixture, 'create-project', { body });
    },
    detail: /100 projects/,
  },
  {
    what: 'environments of a project, in the console',
    attempt: (fixture, isBeyond) => {
      const project = fixture.addProject(names.slice(isBeyond ? 0 : 1));
      return write(fixture, 'create-environment', { project, body: { name: 'more' } });
    },
    detail: /environments must be at most 100/,
  },
  {
    what: 'audiences of a project',
    prepare: (fixture) => {
      const project = single(fixture);
      const made = Array.from({ length: audiencesMax - 1 }, (_, at) =>
        audienceOf(project.id, { name: `a${at}` }),
      );
      fixture.apply(made.map((after) => ({ kind: 'audience', before: null, after })));
    },
    attempt: (fixture, isBeyond) =>
      write(fixture, 'create-audience', {
        project: single(fixture),
        body: { name: isBeyond ? 'beyond' : 'last', rules: [{ attribute: 'a', values: ['x'] }] },
      }),
    detail: /1000 audiences/,
  },
  {
    what: 'members and open invitations of an organisation',
    prepare: (fixture) => addMembers(fixture, membersMax - 2),
    attempt: (fixture, isBeyond) => {
      const email = isBeyond ? 'beyond@y.example' : 'last@y.example';
      return write(fixture, 'invite-member', { body: { email, role: 'viewer' } });
    },
    detail: /1000 members and open/,
  },
  {
    what: 'members of an organisation, applied',
    prepare: (fixture) => addMembers(fixture, membersMax - 2),
    attempt: (fixture, isBeyond) => {
      const name = isBeyond ? 'beyond' : 'within';
      return apply(fixture, [], [{ name, email: `${name}@x.example`, role: 'viewer' }]);
    },
    detail: /^organisations\[0\].members\[0\]: the organisation has 1000 members, which is the limit/,
  },
];
const projectBody = { name: 'last', isMultiEnvironment: false };

function addFlags(fixture: ConsoleFixture, count: number): void {
  const { id } = single(fixture);
  fixture.apply(Array.from({ length: count }, () => flagChangeOf(null, flagOf(id, { states: new Map() }))));
}

function addProjects(fixture: ConsoleFixture, count: number): void {
  const { id } = fixture.organisation;
  const made = Array.from({ length: count }, (_, index) => projectOf(id, { name: `p${index}` }));
  fixture.apply(made.map((after) => ({ kind: 'project', before: null, after })));
}

function addMembers(fixture: ConsoleFixture, count: number): void {
  const organisationId = fixture.organisation.id;
  const made = Array.from({ length: count }, (_, at) =>
    memberOf({ organisationId, email: `${at}@x.example` }),
  );
  fixture.apply(made.map((after) => ({ kind: 'member', before: null, after })));
}

function isConsistent(t: Test, directory: string): void {
  t.strictSame([...checkStore(directory)], [], 'the totals are those of the records');
}

for (const { what, prepare, attempt, detail } of cases) {
  t.test(`${what}: what is within the bound is stored, what is beyond gets 400`, async (t) => {
    const fixture = openConsole(t);
    prepare?.(fixture);
    t.equal(attempt(fixture, false), '');
    t.match(attempt(fixture, true), detail);
    isConsistent(t, fixture.directory);
  });
}

t.test('the Management API names its own fields, also in a dry run', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project);
  const { authorization } = fixture.addToken(project);
  const long = cohortsOf(mebibyte + 256);
  for (const query of ['', 'dryRun=true']) {
    const request = { authorization, query, body: { name: 'a', cohorts: long } };
    const created = fixture.write('create-flag', request);
    t.match(created, { status: 400, changes: [] });
    t.match(created.body, { error: 'Invalid request', detail: cohortFault });
    const patched = fixture.write('patch-flag', {
      ...request,
      flagId: flag.id,
      body: { cohorts: long },
    });
    t.match(patched, { status: 400, changes: [] });
    t.match(patched.body.detail, /^"cohorts": all lists of this flag together would be 1048832 bytes/);
  }
  const body = { cohorts: cohortsOf(mebibyte) };
  t.equal(fixture.write('patch-flag', { authorization, flagId: flag.id, body }).status, 200);
  t.equal(
    fixture.write('patch-flag', { authorization, flagId: flag.id, body: { enabled: true } }).status,
    200,
    'a flag at the bound can be switched',
  );
});

t.test(
  'a cohort with white space around it is refused by the Management API, and kept where it is stored',
  async (t) => {
    const fixture = openFixture(t);
    const project = fixture.addProject(null);
    const stored = new Map([[0, own(['a', ' b '])]]);
    const flag = fixture.addFlag(project, { states: stored });
    const { authorization } = fixture.addToken(project);
    const created = fixture.write('create-flag', { authorization, body: { name: 'a', cohorts: ['c\t'] } });
    t.match(created, { status: 400, changes: [] });
    t.equal(
      created.body.detail,
      'cohorts: the cohort "c\\t" begins or ends with white space; send it without',
    );
    const patch = (cohorts: readonly string[]) =>
      fixture.write('patch-flag', { authorization, flagId: flag.id, body: { cohorts } });
    t.match(patch(['a', ' b ', 'c ']), { status: 400, changes: [] });
    t.match(patch(['a', ' b ', 'c ']).body.detail, /^"cohorts": the cohort "c " begins/);
    t.match(patch(['a', ' b ', 'c']), { status: 200, body: { changed: true } });
  },
);

t.test('the total of a project follows creations, changes and deletions', async (t) => {
  const fixture = openConsole(t);
  const project = single(fixture);
  const recordsOf = () => fixture.query((queries) => queries.projectRecords(project.id));
  t.strictSame(recordsOf(), { flags: 0, bytes: 0 });
  const flag = fixture.addFlag(project);
  const { bytes } = recordsOf();
  t.equal(recordsOf().flags, 1);
  fixture.addAudience(project);
  t.ok(recordsOf().bytes > bytes);
  t.equal(recordsOf().flags, 1);
  const params = { flagId: flag.id };
  write(fixture, 'edit-flag', { project, params, body: { revision: 1, cohorts: ['one more'] } });
  isConsistent(t, fixture.directory);
  write(fixture, 'delete-flag', { project, params, body: { revision: 2, name: flag.name } });
  t.equal(recordsOf().flags, 0);
  isConsistent(t, fixture.directory);
});
