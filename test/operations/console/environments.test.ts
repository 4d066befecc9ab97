import t from 'tap';
import { checkStore } from '../../../src/storage/check.ts';
import { openConsole, startedAt } from './console-fixture.ts';

const environment = (number: number) => ({ number: String(number) });

t.test('an environment is created at the end, with an unused number', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const body = { name: 'staging', isProtected: true };
  const created = fixture.write('create-environment', { project, body });
  t.match(created, { code: 'ok', status: 201 });
  t.match(created.value.project, {
    environments: [{ name: 'production' }, { number: 2, name: 'staging', isProtected: true }],
    environmentsRevision: 2,
    revision: 2,
  });
  t.match(created.changes[1], {
    entry: {
      action: 'environment.create',
      environment: 'staging',
      targetId: project.id,
      changes: [
        { field: 'name', before: null, after: 'staging' },
        { field: 'isProtected', before: null, after: true },
      ],
    },
  });
  const create = (name: string) => fixture.write('create-environment', { project, body: { name } });
  t.match(create('staging'), { code: 'invalid-request', detail: /another environment/, changes: [] });
  t.match(create('Staging'), { code: 'invalid-request', detail: /a-z/ });
  t.match(create(''), { code: 'invalid-request' });
  t.equal(create('x'.repeat(64)).code, 'ok');
  t.equal(create('x'.repeat(65)).code, 'invalid-request');
  const single = fixture.addProject(null);
  t.match(fixture.write('create-environment', { project: single, body }), {
    code: 'invalid-request',
    detail: /single environment/,
  });
});

t.test('a project has at most 100 environments', async (t) => {
  const fixture = openConsole(t);
  const names = Array.from({ length: 99 }, (_, index) => `e${index}`);
  const project = fixture.addProject(names);
  const create = (name: string) => fixture.write('create-environment', { project, body: { name } }).code;
  t.strictSame([create('a'), create('b')], ['ok', 'invalid-request']);
});

t.test('a preview names the active tokens that a new name affects, and matches the result', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const losing = fixture.addToken(project, { name: 'old', environments: ['staging', 'production'] });
  const gaining = fixture.addToken(project, { name: 'early', environments: ['stage'] });
  fixture.addToken(project, { name: 'everywhere', environments: null });
  fixture.addToken(project, { name: 'revoked', environments: ['staging'], revokedAt: 1 });
  fixture.addToken(project, { name: 'expired', environments: ['staging'], expiresAt: startedAt });
  fixture.addToken(fixture.addProject(['staging']), { name: 'foreign', environments: ['staging'] });
  const preview = (number: string, name?: string) => {
    const query: Record<string, string> = name === undefined ? {} : { name };
    return fixture.read('preview-environment', { project, params: { number }, query });
  };
  const [lost, gained] = [[{ id: losing.id, name: 'old' }], [{ id: gaining.id, name: 'early' }]];
  t.strictSame(preview('2', 'stage').value, { tokensLosing: lost, tokensGaining: gained });
  t.strictSame(preview('2').value, { tokensLosing: lost, tokensGaining: [] }, 'a deletion');
  t.strictSame(preview('new', 'stage').value, { tokensLosing: [], tokensGaining: gained }, 'a creation');
  t.strictSame(preview('2', 'staging').value, { tokensLosing: [], tokensGaining: [] }, 'the same name');
  t.match(preview('2', 'production'), { code: 'invalid-request', detail: /another environment/ });
  t.match(preview('2', 'A'), { code: 'invalid-request' });
  t.match(preview('new'), { code: 'invalid-request', detail: /add the query parameter "name"/ });
  for (const number of ['3', '02', '0', 'x', '__proto__', '']) {
    t.match(preview(number), { code: 'not-found' }, number);
  }

  const body = { revision: 1, name: 'stage' };
  const renamed = fixture.write('edit-environment', { project, params: environment(2), body });
  t.strictSame(renamed.value.impact, { tokensLosing: lost, tokensGaining: gained });
  const deletion = { revision: 2, name: 'stage' };
  const deleted = fixture.write('delete-environment', { project, params: environment(2), body: deletion });
  t.strictSame(deleted.value.impact, { tokensLosing: gained, tokensGaining: [] });
  t.same(
    fixture.query((queries) => queries.token(losing.id)),
    losing,
    'no token is edited for it',
  );
});

t.test('an environment is renamed and protected by revision; flags are not touched', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project, {
    states: new Map([[2, { enabled: true, trafficPercentage: 5, cohortOverride: null, audienceId: null }]]),
  });
  const edit = (body: object, number = 2) =>
    fixture.write('edit-environment', { project, params: environment(number), body });
  const edited = edit({ revision: 1, name: 'stage', isProtected: true });
  t.match(edited.value.project, {
    environments: [{ number: 1 }, { number: 2, name: 'stage', isProtected: true }],
    environmentsRevision: 2,
  });
  t.match(edited.changes[1], {
    entry: {
      action: 'environment.edit',
      environment: 'staging',
      changes: [
        { field: 'name', before: 'staging', after: 'stage' },
        { field: 'isProtected', before: false, after: true },
      ],
    },
  });
  t.same(fixture.flag(flag.id), flag);
  t.match(edit({ revision: 1, name: 'late' }), {
    code: 'conflict',
    extra: { current: edited.value.project },
    changes: [],
  });
  t.match(edit({ revision: 2, isProtected: true }), { code: 'ok', changes: [] });
  t.match(edit({ revision: 2 }), {
    code: 'ok',
    changes: [],
    value: { project: { environmentsRevision: 2 } },
  });
  t.match(edit({ revision: 2, name: 'production' }), { code: 'invalid-request' });
  t.match(edit({ revision: 2, isProtected: false }).value.project, { environmentsRevision: 3 });
  t.match(edit({ revision: 3, name: 'x' }, 9), { code: 'not-found' });
});

t.test('a deleted environment takes its states along, and its number is never given again', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const audience = fixture.addAudience(project);
  const state = { enabled: true, trafficPercentage: 5, cohortOverride: ['a'], audienceId: audience.id };
  const flag = fixture.addFlag(project, { states: new Map([[2, state]]) });
  const remove = (body: object) =>
    fixture.write('delete-environment', { project, params: environment(2), body });
  t.match(remove({ revision: 1, name: 'Staging' }), {
    code: 'invalid-request',
    detail: /^name must be "staging"/,
  });
  t.match(remove({ revision: 0, name: 'staging' }), { code: 'conflict' });
  t.match(remove({ revision: 1, name: 'staging' }), {
    code: 'ok',
    value: { project: { environments: [{ number: 1 }], environmentsRevision: 2 } },
    changes: [{}, { entry: { action: 'environment.delete', environment: 'staging' } }],
  });
  t.match(remove({ revision: 2, name: 'staging' }), { code: 'not-found' });
  t.same([...checkStore(fixture.directory)], [], 'the flag’s old state has no effect');

  const created = fixture.write('create-environment', { project, body: { name: 'staging' } });
  t.match(created.value.project.environments, [{ number: 1 }, { number: 3, name: 'staging' }]);
  const params = { flagId: flag.id };
  const read = fixture.read('read-console-flag', { project, params }).value;
  t.strictSame(Object.keys(read.states), ['1', '3']);
  t.match(read.states['3'], { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null });

  const list = fixture.read('list-audiences', { project }).value;
  t.match(list.audiences, [{ useCount: 0, uses: [] }]);
  const deletion = { project, params: { audienceId: audience.id }, body: { revision: 1 } };
  t.equal(fixture.write('delete-audience', deletion).code, 'ok', 'a deleted state is no use of the audience');
  t.same([...checkStore(fixture.directory)], []);
  fixture.write('edit-flag', { project, params, body: { revision: 1, description: 'x' } });
  t.strictSame([...(fixture.flag(flag.id)?.states.keys() ?? [])], [], 'an edit drops its remains');
});

t.test('the last environment can be deleted', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const body = { revision: 1, name: 'production' };
  const deleted = fixture.write('delete-environment', { project, params: environment(1), body });
  t.match(deleted.value.project, { environments: [], isMultiEnvironment: true });
});
