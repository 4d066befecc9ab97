import t from 'tap';
import {
  creationChanges,
  type FlagDraft,
  namedEnvironments,
  newFlag,
  parseCreation,
} from '../../../src/domain/flag/flag-creation.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import fc from '../../support/fast-check.ts';
import { audienceId, bodyOf, isKnownAudience, projectWith } from '../management/domain-fixture.ts';

const single = projectWith(null);
const group = projectWith(['production', 'staging', '__proto__']);

function problemsOf(body: unknown, project = single): string {
  const problems = new ProblemList();
  parseCreation(bodyOf(body), project, isKnownAudience, problems);
  return problems.detail();
}

function draftOf(body: unknown, project = single): FlagDraft {
  const problems = new ProblemList();
  const draft = parseCreation(bodyOf(body), project, isKnownAudience, problems);
  if (!problems.isEmpty) throw new Error(problems.detail());
  return draft;
}

t.test('a name is enough: the rest has defaults', async (t) => {
  const expected = { name: 'checkout', description: '', tags: [], states: new Map() };
  t.strictSame(draftOf({ name: ' checkout\n' }), expected, 'stored trimmed');
  t.strictSame(draftOf({ name: 'checkout' }, group), expected);
  t.strictSame(draftOf({ name: 'checkout', environments: {} }, group), expected);
  const allDefaults = { enabled: false, trafficPercentage: 0, cohorts: [], audienceId: null };
  t.strictSame(draftOf({ name: 'checkout', ...allDefaults }), expected);
  t.strictSame(
    draftOf({ name: 'checkout', environments: { staging: {}, production: allDefaults } }, group),
    expected,
  );
});

t.test('state is kept per environment, one called __proto__ too', async (t) => {
  const state = { enabled: true, trafficPercentage: 50, cohorts: ['a'], audienceId };
  const kept = { enabled: true, trafficPercentage: 50, cohortOverride: ['a'], audienceId };
  t.strictSame(draftOf({ name: 'x', ...state }).states, new Map([[0, kept]]));
  const body = `{"name":"x","environments":{"staging":{"enabled":true},"__proto__":${JSON.stringify(state)}}}`;
  t.strictSame([...draftOf(body, group).states.keys()], [2, 3]);
  t.strictSame(draftOf(body, group).states.get(3), kept);
});

t.test('problems name their path', async (t) => {
  const environments = {
    staging: { trafficPercentage: 101, enabled: null, cohorts: [1], audienceId: 'no', x: 1 },
  };
  t.equal(
    problemsOf({ name: 'x', environments }, group),
    [
      'environments.staging.trafficPercentage must be a whole number between 0 and 100',
      'environments.staging.enabled cannot be null',
      'environments.staging.cohorts[0] must be a string of 1 to 256 characters',
      'environments.staging.audienceId: Audience "no" does not exist on this project.',
      'unknown field "environments.staging.x"',
    ].join('; '),
  );
  t.equal(
    problemsOf({ name: 'x', trafficPercentage: 1.5, enabled: 0, cohorts: 1, audienceId: 'no', x: 1 }),
    [
      'trafficPercentage must be a whole number between 0 and 100',
      'enabled must be true or false',
      'cohorts must be an array of strings',
      'Audience "no" does not exist on this project.',
      'unknown field "x"',
    ].join('; '),
  );
});

t.test('null is for audienceId alone', async (t) => {
  for (const key of ['name', 'description', 'tags', 'enabled', 'trafficPercentage', 'cohorts']) {
    t.equal(problemsOf({ name: 'x', [key]: null }), `${key} cannot be null`);
  }
  t.equal(problemsOf({ name: 'x', environments: null }, group), 'environments cannot be null');
  t.equal(
    problemsOf({ name: 'x', environments: { staging: null } }, group),
    'environments.staging cannot be null',
  );
  t.equal(problemsOf({ name: 'x', audienceId: null }), '');
});

t.test('state of the wrong kind of project names the fix', async (t) => {
  const fix = 'this project has several environments, so send it as environments.<env>';
  t.equal(
    problemsOf({ name: 'x', enabled: true, cohorts: null }, group),
    `enabled is not accepted here: ${fix}.enabled; cohorts is not accepted here: ${fix}.cohorts`,
  );
  t.equal(
    problemsOf({ name: 'x', environments: {} }),
    'environments is not accepted: this project has a single environment, so send its state at the top of the body',
  );
});

t.test('an unknown environment is a problem that lists the valid ones', async (t) => {
  t.equal(
    problemsOf({ name: 'x', environments: { Staging: { enabled: 7 } } }, group),
    'environments.Staging is not an environment of this project (valid ones: production, staging, __proto__)',
  );
  t.equal(
    problemsOf({ name: 'x', environments: { a: {} } }, projectWith([])),
    'environments.a is not an environment of this project (it has no environments yet)',
  );
  t.match(problemsOf({ name: 'x', environments: [] }, group), /^environments must be an object keyed by/);
  t.equal(
    problemsOf({ name: 'x', environments: { staging: [] } }, group),
    'environments.staging must be an object',
  );
});

t.test('a missing name comes after the problems of the keys that were sent', async (t) => {
  t.equal(problemsOf({}), 'name is required');
  t.equal(problemsOf('{"z":1,"1":1}'), 'unknown field "z"; unknown field "1"; name is required');
  t.equal(problemsOf(''), 'the request body is empty: a JSON object must be sent');
});

t.test('name, description and tags have limits', async (t) => {
  t.equal(draftOf({ name: '😀'.repeat(200) }).name.length, 400);
  const length = 'name must be 1 to 200 characters after trimming';
  for (const name of ['', '  \n', 'x'.repeat(201)]) t.equal(problemsOf({ name }), length);
  t.equal(problemsOf({ name: 'a\u0000b' }), 'name must not have control characters');
  t.equal(problemsOf({ name: 'a\u0085b' }), 'name must not have control characters');
  const layout = 'name must not have line separators or characters that turn the direction of text';
  for (const character of ['\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\u200f', '\u061c']) {
    t.equal(problemsOf({ name: `a${character}b` }), layout, character);
  }
  t.equal(
    problemsOf({ name: '\u{1F469}\u200D\u{1F680} \u0645\u06CC\u200C\u062E' }),
    '',
    'joiners are needed',
  );
  t.equal(problemsOf({ name: 7 }), 'name must be a string');
  t.equal(problemsOf('{"name":"\\udc00"}'), 'name must be valid Unicode: it has a lone surrogate');

  const tags = Array.from({ length: 50 }, () => 'x'.repeat(64));
  t.strictSame(draftOf({ name: 'x', tags }).tags, tags);
  t.equal(problemsOf({ name: 'x', tags: [...tags, 'x'] }), 'tags must have at most 50 items');
  t.equal(problemsOf({ name: 'x', tags: ['', 'x'.repeat(65)] }), [0, 1].map(tagProblem).join('; '));
  t.equal(problemsOf({ name: 'x', tags: 'a' }), 'tags must be an array of strings');

  t.equal(draftOf({ name: 'x', description: ' a\nb ' }).description, ' a\nb ', 'kept as sent');
  t.equal(draftOf({ name: 'x', description: '😀'.repeat(2000) }).description.length, 4000);
  const description = 'x'.repeat(2001);
  t.equal(problemsOf({ name: 'x', description }), 'description must be at most 2000 characters');
});

function tagProblem(index: number): string {
  return `tags[${index}] must be a string of 1 to 64 characters`;
}

t.test('unknown fields at every level are counted exactly', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, 0]));
  const body = { ...many, environments: { staging: many, ...many } };
  t.match(problemsOf(body, group), /^unknown field "k0".*"k49"; and 119951 more$/);
});

t.test("a body's environments can be read before it is validated", async (t) => {
  const names = (body: unknown) => [...namedEnvironments(bodyOf(body))];
  t.strictSame(names('{"environments":{"b":1,"1":null,"__proto__":{}}}'), ['b', '1', '__proto__']);
  t.strictSame(names({ environments: ['a'] }), []);
  t.strictSame(names({}), []);
  t.strictSame(names('{'), []);
});

t.test('a new flag has revision 1 and its times, and its audit entry omits defaults', async (t) => {
  const draft = draftOf(
    { name: 'x', tags: ['t'], environments: { staging: { enabled: true }, production: {} } },
    group,
  );
  const flag = newFlag(draft, 'Flag0000000000000009', group.id, 7000);
  t.match(flag, {
    id: 'Flag0000000000000009',
    projectId: group.id,
    revision: 1,
    createdAt: 7000,
    updatedAt: 7000,
  });
  t.strictSame(flag.cohorts, []);
  t.strictSame(creationChanges(flag, group), [
    { field: 'name', before: null, after: 'x' },
    { field: 'description', before: null, after: '' },
    { field: 'tags', before: null, after: ['t'] },
    { field: 'environments.staging.enabled', before: null, after: true },
    { field: 'environments.staging.trafficPercentage', before: null, after: 0 },
    { field: 'environments.staging.cohorts', before: null, after: [] },
    { field: 'environments.staging.audienceId', before: null, after: null },
  ]);
});

t.test('no body crashes the parser', async () => {
  const keys = fc.constantFrom('name', 'tags', 'environments', 'enabled', 'staging', '__proto__');
  const body = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())));
  fc.assert(
    fc.property(fc.oneof(fc.json(), body, fc.string()), fc.constantFrom(single, group), (sent, project) => {
      return typeof problemsOf(sent, project) === 'string';
    }),
    { numRuns: 2000 },
  );
});
