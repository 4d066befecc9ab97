import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { type Outcome, openConsole, startedAt } from './console-fixture.ts';

const off = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };

function entryOf({ changes }: Outcome): AuditEntry {
  const [, second] = changes;
  if (changes.length !== 2 || second?.kind !== 'audit')
    throw new Error('not one change with one audit entry');
  return second.entry;
}

t.test('a flag is created with labels, flag-wide cohorts and states at once', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging', 'dev']);
  const audience = fixture.addAudience(project);
  const created = fixture.write('create-console-flag', {
    project,
    body: {
      name: ' checkout ',
      description: 'new',
      tags: ['a', 'b'],
      cohorts: ['wide'],
      states: {
        2: { enabled: true, trafficPercentage: 50, cohorts: ['own'], audienceId: audience.id },
        1: { cohorts: ['wide'] },
        3: { cohorts: null, enabled: false },
      },
    },
  });
  t.match(created, { code: 'ok', status: 201 });
  const { id, ...view } = created.value;
  const state = { enabled: true, trafficPercentage: 50, cohortOverride: ['own'], audienceId: audience.id };
  t.strictSame(view, {
    projectId: project.id,
    name: 'checkout',
    description: 'new',
    tags: ['a', 'b'],
    cohorts: ['wide'],
    states: { 1: off, 2: state, 3: off },
    revision: 1,
    createdAt: startedAt,
    updatedAt: startedAt,
  });
  t.strictSame(
    fixture.flag(id)?.states,
    new Map([[2, state]]),
    'a list equal to the inherited one is no override',
  );
  t.strictSame(fixture.read('read-console-flag', { project, params: { flagId: id } }).value, created.value);
  const entry = entryOf(created);
  t.match(entry, { action: 'flag.create', targetId: id, targetName: 'checkout', environment: null });
  t.strictSame(
    entry.changes.map(({ field, after }) => [field, after]),
    [
      ['name', 'checkout'],
      ['description', 'new'],
      ['tags', ['a', 'b']],
      ['environments.staging.enabled', true],
      ['environments.staging.trafficPercentage', 50],
      ['environments.staging.cohorts', ['own']],
      ['environments.staging.audienceId', audience.id],
      ['cohorts', ['wide']],
    ],
  );
});

t.test('the only list of a single-environment flag is in cohorts, and is stored in its state', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const body = { name: 'checkout', cohorts: ['a'], states: { 0: { enabled: true, cohorts: null } } };
  const { value } = fixture.write('create-console-flag', { project, body });
  t.match(value, { cohorts: ['a'], states: { 0: { enabled: true, cohortOverride: null } } });
  t.match(fixture.flag(value.id), { cohorts: [], states: new Map([[0, { cohortOverride: ['a'] }]]) });
  const params = { flagId: value.id };
  const edit = (revision: number, draft: object) =>
    fixture.write('edit-flag', { project, params, body: { revision, ...draft } });
  const edited = edit(1, { cohorts: ['a', 'b'], states: { 0: { cohorts: [], trafficPercentage: 7 } } });
  t.strictSame(entryOf(edited).changes, [
    { field: 'cohorts', before: ['a'], after: ['a', 'b'] },
    { field: 'trafficPercentage', before: 0, after: 7 },
  ]);
  t.equal(entryOf(edited).environment, null);
  t.match(edit(2, { cohorts: [] }).value.flag, { cohorts: [], states: { 0: { cohortOverride: null } } });
  t.match(fixture.flag(value.id)?.states.get(0), { cohortOverride: null });
  t.match(edit(3, { states: { 0: { cohorts: ['x'] } } }), {
    code: 'invalid-request',
    detail: /^states\.0\.cohorts is not accepted/,
  });
  t.match(edit(3, { states: { 1: { enabled: true } } }), {
    code: 'invalid-request',
    detail: /^states\.1 is not accepted/,
  });
  const { flags, kinds } = fixture.read('list-console-flags', { project }).value;
  t.match(flags[0], { cohortCount: 0, states: [0] });
  t.match(kinds, [{ cohortOverrideCount: null, trafficPercentage: 7 }]);
});

t.test('a draft is stored completely, with one audit entry that names its environments', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project, { name: 'checkout', tags: ['old'] });
  const params = { flagId: flag.id };
  const edit = (revision: number, draft: object) =>
    fixture.write('edit-flag', { project, params, body: { revision, ...draft } });

  const whole = edit(1, {
    name: 'pay',
    description: 'x',
    tags: [],
    cohorts: ['wide'],
    states: { 1: { enabled: true }, 2: { trafficPercentage: 50, cohorts: ['own'] } },
  });
  t.match(whole.value, { changed: true, flag: { name: 'pay', revision: 2, updatedAt: startedAt } });
  t.match(entryOf(whole), {
    action: 'flag.edit',
    targetName: 'pay',
    environment: null,
    ledgerId: fixture.organisation.id,
    actor: { kind: 'member', id: fixture.owner.id },
  });
  t.strictSame(entryOf(whole).changes, [
    { field: 'name', before: 'checkout', after: 'pay' },
    { field: 'description', before: '', after: 'x' },
    { field: 'tags', before: ['old'], after: [] },
    { field: 'cohorts', before: [], after: ['wide'] },
    { field: 'environments.production.enabled', before: false, after: true },
    { field: 'environments.staging.trafficPercentage', before: 0, after: 50 },
    { field: 'environments.staging.cohorts', before: [], after: ['own'] },
  ]);

  const one = edit(2, { name: 'pay', states: { 1: { enabled: true }, 2: { enabled: true } } });
  t.match(entryOf(one), { environment: 'staging', changes: [{ field: 'environments.staging.enabled' }] });
  t.match(one.changes[0], { kind: 'flag', environment: 'staging' });
  t.equal(one.value.flag.updatedAt, startedAt + 1, 'strictly increases');

  const none = edit(3, { name: ' pay', states: { 2: { enabled: true, cohorts: ['own'] } } });
  t.match(none, { code: 'ok', value: { changed: false, flag: { revision: 3 } }, changes: [] });
});

t.test('lists are inherited, overridden and reset as in the API', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project, { cohorts: ['wide'] });
  let revision = 1;
  const edit = (draft: object) => {
    const body = { revision, ...draft };
    const { value } = fixture.write('edit-flag', { project, params: { flagId: flag.id }, body });
    revision = value.flag.revision;
    return [value.changed, value.flag.states['1'].cohortOverride];
  };
  const own = (cohorts: readonly string[] | null) => edit({ states: { 1: { cohorts } } });
  t.strictSame(own(['wide']), [false, null], 'equal to the inherited list, so none is stored');
  t.strictSame(own(['own']), [true, ['own']]);
  t.strictSame(own(['wide']), [true, ['wide']], 'an override is stored: its content changes');
  t.strictSame(own(['wide']), [false, ['wide']]);
  t.strictSame(own([]), [true, null], 'removing one that equals the inherited list is a change');
  t.strictSame(own(null), [false, null]);
  const both = (cohorts: readonly string[], list: readonly string[]) =>
    edit({ cohorts, states: { 1: { cohorts: list } } });
  t.strictSame(both(['next'], ['next']), [true, null], 'the list that will be inherited counts');
  t.strictSame(both(['last'], ['next']), [true, ['next']], 'the former list is kept as its own');
});

t.test('all problems of a draft are reported at once, in the API’s words', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const foreign = fixture.addAudience(fixture.addProject(null));
  const flag = fixture.addFlag(project);
  const edit = (draft: object) =>
    fixture.write('edit-flag', { project, params: { flagId: flag.id }, body: { revision: 1, ...draft } });
  const refused = edit({
    name: ' ',
    description: 'x'.repeat(2001),
    tags: ['', 'ok'],
    cohorts: ['', '\ud800'],
    states: {
      1: { trafficPercentage: 101, audienceId: foreign.id },
      2: { cohorts: ['y'.repeat(257)], trafficPercentage: -1 },
      9: { enabled: true },
    },
  });
  t.match(refused, { code: 'invalid-request', changes: [] });
  t.equal(
    refused.detail,
    [
      'name must be 1 to 200 characters after trimming',
      'description must be at most 2000 characters',
      'tags[0] must be a string of 1 to 64 characters',
      'cohorts[0] must be a string of 1 to 256 characters',
      'cohorts[1] must be valid Unicode: it has a lone surrogate',
      'environments.production.trafficPercentage must be a whole number between 0 and 100',
      `environments.production.audienceId: Audience "${foreign.id}" does not exist on this project.`,
      'environments.staging.cohorts[0] must be a string of 1 to 256 characters',
      'environments.staging.trafficPercentage must be a whole number between 0 and 100',
      'states.9 is not the number of an environment of this project (valid ones: production, staging)',
    ].join('; '),
  );
  for (const key of ['01', 'production', '', '__proto__', '1.0']) {
    const states = JSON.parse(`{${JSON.stringify(key)}:{"enabled":true}}`);
    t.equal(edit({ states }).code, 'invalid-request', key);
  }
  t.match(fixture.flag(flag.id), { revision: 1 });
  t.match(edit({ tags: Array.from({ length: 51 }, () => 'a') }), {
    detail: 'tags must have at most 50 items',
  });
  t.match(fixture.write('create-console-flag', { project, body: { name: '' } }), { code: 'invalid-request' });
});

t.test('a conflict shows the stored flag, and writes nothing', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project);
  const params = { flagId: flag.id };
  const edit = (draft: object) =>
    fixture.write('edit-flag', { project, params, body: { revision: 1, ...draft } });
  const first = edit({ states: { 1: { enabled: true } } });
  const second = edit({ states: { 1: { trafficPercentage: 1000 } } });
  t.match(second, { code: 'conflict', extra: { current: first.value.flag }, changes: [] });
  const removal = fixture.write('delete-flag', { project, params, body: { revision: 1, name: flag.name } });
  t.match(removal, { code: 'conflict', extra: { current: first.value.flag }, changes: [] });
});

t.test('without a plan no audience is attached, and an attached one stays', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const [pro, other] = [fixture.addAudience(project), fixture.addAudience(project)];
  const applied = { ...off, enabled: true, audienceId: pro.id };
  const flag = fixture.addFlag(project, { states: new Map([[1, applied]]) });
  let revision = 1;
  const edit = (states: object) => {
    const body = { revision, states };
    const outcome = fixture.write('edit-flag', { project, params: { flagId: flag.id }, body });
    revision = outcome.value?.flag.revision ?? revision;
    return outcome.code;
  };
  const create = (states: object) =>
    fixture.write('create-console-flag', { project, body: { name: 'new', states } }).code;
  fixture.setOrganisation({ plan: 'free' });
  t.equal(edit({ 1: { trafficPercentage: 5, audienceId: pro.id } }), 'ok', 'it is already attached');
  t.equal(edit({ 1: { audienceId: other.id } }), 'plan-required');
  t.equal(edit({ 2: { audienceId: pro.id } }), 'plan-required', 'a copy to another environment attaches it');
  t.equal(create({ 1: { audienceId: pro.id } }), 'plan-required');
  t.equal(create({ 1: { audienceId: null } }), 'ok');
  t.equal(fixture.flag(flag.id)?.states.get(1)?.audienceId, pro.id);
  t.equal(edit({ 1: { audienceId: null } }), 'ok', 'it can be detached');
  t.equal(edit({ 1: { audienceId: pro.id } }), 'plan-required', 'but not attached again');
  fixture.setOrganisation({ plan: 'teams' });
  t.equal(edit({ 1: { audienceId: pro.id } }), 'ok');
});

t.test('a flag is deleted by its name as it is stored', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'gone'], {
    environments: [{ number: 1, name: 'production', isProtected: true }],
  });
  const state = { ...off, enabled: true };
  const flag = fixture.addFlag(project, {
    name: 'checkout',
    cohorts: ['wide'],
    states: new Map([
      [1, state],
      [2, state],
    ]),
  });
  const params = { flagId: flag.id };
  const remove = (name: string) =>
    fixture.write('delete-flag', { project, params, body: { revision: 1, name } });
  for (const name of ['', 'Checkout', 'checkout ']) {
    t.match(remove(name), { code: 'invalid-request', detail: /name must be "checkout"/, changes: [] });
  }
  const removed = remove('checkout');
  t.match(removed, { code: 'ok', value: undefined });
  t.match(entryOf(removed), { action: 'flag.delete', targetId: flag.id, targetName: 'checkout' });
  t.strictSame(
    entryOf(removed).changes.map(({ field, before, after }) => [field, before, after]),
    [
      ['name', 'checkout', null],
      ['description', '', null],
      ['tags', [], null],
      ['environments.production.enabled', true, null],
      ['environments.production.trafficPercentage', 0, null],
      ['environments.production.cohorts', [], null],
      ['environments.production.audienceId', null, null],
      ['cohorts', ['wide'], null],
    ],
  );
  t.equal(fixture.flag(flag.id), undefined);
  t.match(remove('checkout'), { code: 'not-found' });
  t.strictSame(fixture.read('list-console-flags', { project }).value.flags, []);
  t.same([...checkStore(fixture.directory)], []);
});

t.test('an unknown flag and another project’s get the same answer', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const foreign = fixture.addFlag(fixture.addProject(null));
  const detail = 'No flag with that id exists in this project.';
  for (const flagId of [foreign.id, 'Flag000000000000000X', '', '__proto__', 'é'.repeat(20)]) {
    const asked = { project, params: { flagId } };
    const answers = [
      fixture.read('read-console-flag', asked),
      fixture.read('try-flag', { ...asked, body: { environmentNumber: 0 } }),
      fixture.write('edit-flag', { ...asked, body: { revision: 1 } }),
      fixture.write('delete-flag', { ...asked, body: { revision: 1, name: 'x' } }),
    ];
    for (const answer of answers) t.match(answer, { code: 'not-found', detail }, flagId);
  }
});

t.test('a personal project’s changes are in a ledger of its own', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null, { organisationId: null, ownerMemberId: fixture.owner.id });
  const created = fixture.write('create-console-flag', { project, body: { name: 'x' } });
  t.match(entryOf(created), { ledgerId: project.id, projectId: project.id });
});
