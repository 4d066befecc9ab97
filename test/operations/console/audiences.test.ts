import t from 'tap';
import { checkStore } from '../../../src/storage/check.ts';
import { audienceOf, flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { type ConsoleFixture, openConsole, startedAt } from './console-fixture.ts';

const rules = [{ attribute: 'plan', values: ['pro', 'team'] }];

function audienceIn(fixture: ConsoleFixture) {
  const project = fixture.addProject(['production', 'staging']);
  const audience = fixture.addAudience(project, { name: 'Pro' });
  const params = { audienceId: audience.id };
  return { project, audience, params };
}

t.test('an audience is created with its rules unchanged', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const exact = [{ attribute: ' plan ', values: ['', ' Pro', 'Pro', 'é', '__proto__'] }];
  const body = { name: ' Pro ', rules: exact };
  const created = fixture.write('create-audience', { project, body });
  t.match(created, { code: 'ok', status: 201 });
  t.strictSame(created.value.rules, exact);
  t.match(created.value, { name: 'Pro', uses: [], useCount: 0, revision: 1, createdAt: startedAt });
  t.match(created.changes[1], {
    entry: {
      action: 'audience.create',
      targetName: 'Pro',
      changes: [
        { field: 'name', before: null, after: 'Pro' },
        { field: 'rules', before: null, after: exact },
      ],
    },
  });
  t.match(fixture.write('create-audience', { project, body }), {
    code: 'invalid-request',
    detail: 'name "Pro" is taken by another audience of this project',
  });
  const elsewhere = fixture.addProject(null);
  t.equal(fixture.write('create-audience', { project: elsewhere, body }).code, 'ok');
});

t.test('an invalid audience is refused with all problems at once', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const create = (body: object) => fixture.write('create-audience', { project, body });
  t.equal(
    create({
      name: '',
      rules: [
        { attribute: 'cohort', values: [] },
        { attribute: '', values: ['x'.repeat(1025), '\ud800'] },
      ],
    }).detail,
    [
      'name must be 1 to 200 characters after trimming',
      'rules[0].attribute must not be cohort: it is never an attribute, so the rule never matches',
      'rules[0].values must be an array of 1 to 100000 strings',
      'rules[1].attribute must be a string of 1 to 256 characters',
      'rules[1].values[0] must be a string of at most 1024 characters',
      'rules[1].values[1] must be a string of at most 1024 characters',
    ].join('; '),
  );
  for (const attribute of ['targetingKey', 'env']) {
    t.match(create({ name: 'a', rules: [{ attribute, values: ['x'] }] }), { code: 'invalid-request' });
  }
  const many = (count: number) => Array.from({ length: count }, () => ({ attribute: 'a', values: ['x'] }));
  t.match(create({ name: 'none', rules: many(0) }), { code: 'invalid-request', detail: /1 to 50 rules/ });
  t.match(create({ name: '51', rules: many(51) }), { code: 'invalid-request', detail: /1 to 50 rules/ });
  t.equal(create({ name: '50', rules: many(50) }).code, 'ok');
  t.equal(create({ name: '\u{1f600}'.repeat(200), rules }).code, 'ok', '200 characters of four bytes');
  t.equal(create({ name: 'x'.repeat(201), rules }).code, 'invalid-request');
});

t.test('a project has at most 1,000 audiences', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const known = Array.from({ length: 1000 }, (_, index) => audienceOf(project.id, { name: `a${index}` }));
  fixture.apply(known.map((after) => ({ kind: 'audience', before: null, after })));
  t.match(fixture.write('create-audience', { project, body: { name: 'x', rules } }), {
    code: 'invalid-request',
    detail: /1000 audiences/,
  });
});

t.test('an edit changes revision and time; one without a change writes nothing', async (t) => {
  const fixture = openConsole(t);
  const { project, audience, params } = audienceIn(fixture);
  fixture.addAudience(project, { name: 'taken' });
  fixture.now = 0;
  const edit = (body: object) => fixture.write('edit-audience', { project, params, body });
  const changed = [{ attribute: 'plan', values: ['team', 'pro'] }];
  const edited = edit({ revision: 1, name: 'Paying', rules: changed });
  t.match(edited.value, { name: 'Paying', rules: changed, revision: 2, updatedAt: audience.updatedAt + 1 });
  t.match(edited.changes[1], {
    entry: {
      action: 'audience.edit',
      changes: [
        { field: 'name', before: 'Pro', after: 'Paying' },
        { field: 'rules', before: audience.rules, after: changed },
      ],
    },
  });
  t.match(edit({ revision: 2, name: ' Paying', rules: changed }), { code: 'ok', changes: [] });
  t.match(edit({ revision: 1, name: 'late' }), {
    code: 'conflict',
    extra: { current: edited.value },
    changes: [],
  });
  t.match(edit({ revision: 2, name: 'taken' }), { code: 'invalid-request', changes: [] });
  t.match(edit({ revision: 2, rules: [] }), { code: 'invalid-request', changes: [] });
  const foreign = fixture.addAudience(fixture.addProject(null));
  for (const audienceId of [foreign.id, 'Audience00000000000X', '', '__proto__']) {
    const refused = fixture.write('edit-audience', {
      project,
      params: { audienceId },
      body: { revision: 1 },
    });
    t.match(refused, { code: 'not-found', detail: 'No audience with that id exists in this project.' });
  }
});

t.test("an audience's uses are shown, and prevent its deletion", async (t) => {
  const fixture = openConsole(t);
  const { project, audience, params } = audienceIn(fixture);
  const applied = { enabled: true, trafficPercentage: 1, cohortOverride: null, audienceId: audience.id };
  const both = fixture.addFlag(project, {
    name: 'b',
    states: new Map([
      [2, applied],
      [1, applied],
    ]),
  });
  const one = fixture.addFlag(project, { name: 'a', states: new Map([[2, applied]]) });
  // A cohort with the audience's name is no use of it.
  fixture.addFlag(project, { name: 'c', cohorts: [audience.id] });
  const uses = [
    { flagId: one.id, flagName: 'a', environmentNumbers: [2] },
    { flagId: both.id, flagName: 'b', environmentNumbers: [1, 2] },
  ];
  t.match(fixture.read('read-audience', { project, params }).value, { uses, useCount: 2 });
  t.strictSame(fixture.read('list-audiences', { project }).value.audiences[0].uses, uses);
  const edited = fixture.write('edit-audience', { project, params, body: { revision: 1, name: 'P' } });
  t.strictSame(edited.value.uses, uses);
  const remove = () => fixture.write('delete-audience', { project, params, body: { revision: 2 } });
  t.strictSame(remove(), {
    ...{ code: 'in-use', status: 0, value: null, changes: [], extra: { uses, useCount: 2 } },
    detail: 'The audience "P" is attached to 2 flags. Detach it there first.',
  });
  const detach = (flagId: string, states: object) =>
    fixture.write('edit-flag', { project, params: { flagId }, body: { revision: 1, states } }).code;
  t.equal(detach(one.id, { 2: { audienceId: null } }), 'ok');
  t.match(remove(), { code: 'in-use', detail: /one flag/ });
  t.equal(detach(both.id, { 1: { audienceId: null }, 2: { audienceId: null } }), 'ok');
  t.match(fixture.write('delete-audience', { project, params, body: { revision: 1 } }), { code: 'conflict' });
  t.match(remove(), {
    code: 'ok',
    value: undefined,
    changes: [{}, { entry: { action: 'audience.delete' } }],
  });
  t.match(remove(), { code: 'not-found' });
  t.same([...checkStore(fixture.directory)], []);
});

t.test('at most 200 uses are listed, and all are counted', async (t) => {
  const fixture = openConsole(t);
  const { project, audience, params } = audienceIn(fixture);
  const applied = { enabled: true, trafficPercentage: 1, cohortOverride: null, audienceId: audience.id };
  const flags = Array.from({ length: 201 }, () => flagOf(project.id, { states: new Map([[1, applied]]) }));
  fixture.apply(flags.map((flag) => flagChangeOf(null, flag)));
  const { value } = fixture.read('read-audience', { project, params });
  t.strictSame([value.uses.length, value.useCount], [200, 201]);
});

t.test('audiences are read-only without a plan, and in personal projects', async (t) => {
  const fixture = openConsole(t);
  const { project, params } = audienceIn(fixture);
  const attempts = (into: typeof project) => [
    fixture.write('create-audience', { project: into, body: { name: 'new', rules } }).code,
    fixture.write('edit-audience', { project: into, params, body: { revision: 1, name: 'x' } }).code,
    fixture.write('delete-audience', { project: into, params, body: { revision: 1 } }).code,
  ];
  const refused = ['plan-required', 'plan-required', 'plan-required'];
  fixture.setOrganisation({ plan: 'free' });
  t.strictSame(attempts(project), refused);
  fixture.setOrganisation({ plan: 'free', trialEndsAt: startedAt });
  t.strictSame(attempts(project), refused, 'a trial has ended at its end');
  fixture.setOrganisation({ plan: 'teams', subscription: 'lapsed' });
  t.strictSame(attempts(project), refused);
  t.equal(fixture.read('read-audience', { project, params }).code, 'ok');
  fixture.setOrganisation({ plan: 'free', subscription: 'active', trialEndsAt: startedAt + 1 });
  t.strictSame(attempts(project), ['ok', 'ok', 'conflict'], 'within a trial');

  fixture.setOrganisation({ plan: 'enterprise' });
  const personal = fixture.addProject(null, { organisationId: null, ownerMemberId: fixture.owner.id });
  t.equal(
    fixture.write('create-audience', { project: personal, body: { name: 'x', rules } }).code,
    'plan-required',
  );
});
