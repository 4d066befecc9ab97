import t from 'tap';
import type { FlagState } from '../../../src/domain/flag/flag.ts';
import { creationOf, flagChangeOf, flagOf, projectOf, tokenOf } from '../../storage/support/records.ts';
import { fieldsOf, OperationStage } from './operation-stage.ts';

t.setTimeout(120_000);

interface Named {
  readonly name: string;
}

const stage = new OperationStage(t);
const ownerId = stage.member('owner', { name: 'Olga' });
const adminId = stage.member('admin', { name: 'Ada' });
const viewerId = stage.member('viewer');
const aloneId = stage.member('viewer', { organisationId: null });

/** Another organisation, whose projects and flags alone are searched. */
const on: FlagState = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: null };
const searched = stage.prepared.addOrganisation('Searched');
const searcherId = stage.member('owner', { organisationId: searched.id });
const seekerId = stage.member('viewer', { organisationId: searched.id });
const environments = ['production', 'staging'].map((name, index) => ({
  ...{ number: index + 1, name, isProtected: false },
}));
const multi = { isMultiEnvironment: true, environments, nextEnvironmentNumber: 3 };
const searchedShop = projectOf(searched.id, { name: 'shop', ...multi });
const office = projectOf(searched.id, { name: 'Back office' });
const diary = projectOf(null, { name: 'diary', ownerMemberId: searcherId });
const many = projectOf(searched.id, { name: 'many' });
stage.add([searchedShop, office, diary, many].map((project) => creationOf('project', project)));
const flags = [
  flagOf(searchedShop.id, { name: 'Checkout: new basket', cohorts: ['a', 'b'], states: new Map() }),
  flagOf(searchedShop.id, { name: 'pay-staging', states: new Map([[2, on]]), updatedAt: 9 }),
  flagOf(searchedShop.id, { name: 'easy pay', states: new Map([[1, on]]), updatedAt: 5 }),
  flagOf(searchedShop.id, { name: 'pay', states: new Map() }),
  flagOf(searchedShop.id, { name: 'pay-later', states: new Map() }),
  flagOf(office.id, { name: 'basket-limits', states: new Map([[0, on]]), updatedAt: 7 }),
  flagOf(diary.id, { name: 'secret basket', states: new Map([[0, on]]), updatedAt: 8 }),
  ...Array.from({ length: 21 }, (_, at) => flagOf(many.id, { name: `item-${at}`, states: new Map() })),
];
stage.add(flags.map((flag) => flagChangeOf(null, flag)));

/** A project with tokens of each kind, for renames of environments. */
const impacted = projectOf(stage.prepared.organisation.id, { name: 'impacted', ...multi });
const tokenNamed = (name: string, change: object) => tokenOf(impacted.id, { name, ...change });
const losing = tokenNamed('old', { environments: ['staging', 'production'] });
const gaining = tokenNamed('early', { environments: ['stage'] });
stage.add([
  creationOf('project', impacted),
  ...[
    losing,
    gaining,
    tokenNamed('everywhere', {}),
    tokenNamed('revoked', { environments: ['staging'], revokedAt: 1 }),
    tokenNamed('expired', { environments: ['staging'], expiresAt: Date.now() - 1000 }),
  ].map((token) => creationOf('token', token)),
]);

await stage.start();
const [owner, admin, viewer] = [stage.as(ownerId), stage.as(adminId), stage.as(viewerId)];
const audited = () => stage.audited(owner);

t.test('an Admin creates projects of the organisation, any member a personal one', async (t) => {
  const body = { name: '  store ', isMultiEnvironment: true, environments: ['production', 'staging'] };
  const made = await admin(201, 'POST /projects', body);
  t.match(made, {
    ...{ name: 'store', isPersonal: false, role: 'admin', evaluationAccess: true, revision: 1 },
    environments: [
      { number: 1, name: 'production', isProtected: false },
      { number: 2, name: 'staging' },
    ],
  });
  const [entry] = await audited();
  t.match(entry, { action: 'project.create', actor: { id: adminId, name: 'Ada' }, projectId: made.id });
  t.strictSame(fieldsOf(entry), [
    ['name', null, 'store'],
    ['environments', null, ['production', 'staging']],
    ['evaluationAccess', null, true],
  ]);
  await viewer(403, 'POST /projects', { ...body, name: 'other' });
  await stage.as(aloneId)(403, 'POST /projects', { ...body, name: 'other' });

  const diary = { name: 'hobby', isPersonal: true, isMultiEnvironment: false };
  const own = await viewer(201, 'POST /projects', diary);
  t.match(own, { isPersonal: true, environments: [], role: 'owner' });
  const { detail } = await viewer(400, 'POST /projects', diary);
  t.equal(detail, 'name "hobby" is taken by another project among your personal projects');
  await stage.as(aloneId)(201, 'POST /projects', diary);
  t.match(await stage.audited(viewer, `/projects/${own.id}/audit`), [{ action: 'project.create' }]);
  t.strictSame(await audited(), [], 'a personal project has a log of its own');
  await owner(404, `GET /projects/${own.id}`);
  const { projects } = await viewer(200, 'GET /projects');
  const names = projects.map(({ name, role }: Named & { role: string }) => `${name} ${role}`);
  t.strictSame(names, ['hobby owner', 'impacted viewer', 'shop viewer', 'store viewer']);
  t.match(projects[0], { flagCount: 0, changedAt: Number });
});

t.test('all problems of a project are reported at once', async (t) => {
  const refused = async (body: object) => (await owner(400, 'POST /projects', body)).detail;
  t.equal(
    await refused({ name: ' ', isMultiEnvironment: false, environments: ['Staging', 'dev', 'dev'] }),
    [
      'name must be 1 to 200 characters after trimming',
      'environments is not accepted with "isMultiEnvironment": false: a single-environment project has no list of them',
      'environments[0] must be 1 to 64 characters of a-z, 0-9, "-", "_" and ".", and not "." or ".."',
      'environments[2]: "dev" is listed before',
    ].join('; '),
  );
  t.match(await refused({ name: 'shop', isMultiEnvironment: false }), /taken by another project in this/);
  t.match(await refused({ name: 'a\u0000b', isMultiEnvironment: false }), /control characters/);
  t.match(await refused({ name: '\ud800', isMultiEnvironment: false }), /lone surrogate/);
  const dots = await refused({ name: 'x', isMultiEnvironment: true, environments: ['.', '..', '...'] });
  t.match(dots, /^environments\[0\] must be .*; environments\[1\] must be [^;]*$/, 'no URL can name them');
  const environments = Array.from({ length: 101 }, (_, index) => `e${index}`);
  t.match(await refused({ name: 'x', isMultiEnvironment: true, environments }), /at most 100/);
  t.strictSame(await audited(), []);
});

t.test('name and access are edited by revision, once for each change', async (t) => {
  const { id } = await owner(201, 'POST /projects', { name: 'edited', isMultiEnvironment: false });
  await audited();
  const path = `PATCH /projects/${id}`;
  const edited = await owner(200, path, { revision: 1, name: ' kept ', evaluationAccess: false });
  t.match(edited, { name: 'kept', evaluationAccess: false, revision: 2, environmentsRevision: 1 });
  const [entry] = await audited();
  t.match(entry, { action: 'project.edit', targetName: 'kept' });
  t.strictSame(fieldsOf(entry), [
    ['name', 'edited', 'kept'],
    ['evaluationAccess', true, false],
  ]);
  t.match(await owner(200, path, { revision: 2, name: 'kept' }), { revision: 2 });
  t.match(await owner(409, path, { revision: 1, name: 'late' }), { current: edited });
  t.match(await owner(400, path, { revision: 2, name: 'shop' }), { detail: /another project/ });
  t.strictSame(await audited(), []);
});

t.test('an environment is created, edited and deleted; its number is never given again', async (t) => {
  const environments = ['production', 'staging'];
  const project = await owner(201, 'POST /projects', {
    ...{ name: 'lands', isMultiEnvironment: true, environments },
  });
  const path = `/projects/${project.id}`;
  const rules = [{ attribute: 'plan', values: ['pro'] }];
  const audience = await owner(201, `POST ${path}/audiences`, { name: 'Pro', rules });
  const states = { 2: { enabled: true, trafficPercentage: 5, cohorts: ['a'], audienceId: audience.id } };
  const flag = await owner(201, `POST ${path}/flags`, { name: 'checkout', states });
  await audited();
  const created = await owner(201, `POST ${path}/environments`, { name: 'qa', isProtected: true });
  t.match(created.project, {
    environments: [{}, {}, { number: 3, name: 'qa', isProtected: true }],
    environmentsRevision: 2,
  });
  const [creation] = await audited();
  t.match(creation, { action: 'environment.create', environment: 'qa', targetId: project.id });
  t.strictSame(fieldsOf(creation), [
    ['name', null, 'qa'],
    ['isProtected', null, true],
  ]);
  for (const name of ['qa', 'Staging', '', 'x'.repeat(65)])
    await owner(400, `POST ${path}/environments`, { name });

  const edited = await owner(200, `PATCH ${path}/environments/2`, {
    ...{ revision: 2, name: 'stage', isProtected: true },
  });
  t.match(edited.project, { environments: [{}, { name: 'stage', isProtected: true }, {}] });
  const [edit] = await audited();
  t.match(edit, { action: 'environment.edit', environment: 'staging' });
  t.strictSame(fieldsOf(edit), [
    ['name', 'staging', 'stage'],
    ['isProtected', false, true],
  ]);
  t.match(await owner(200, `GET ${path}/flags/${flag.id}`), flag, 'no flag is touched');
  t.match(await owner(409, `PATCH ${path}/environments/2`, { revision: 2, name: 'late' }), {
    current: edited.project,
  });
  t.match(await owner(200, `PATCH ${path}/environments/2`, { revision: 3 }), {
    project: { environmentsRevision: 3 },
  });
  await owner(400, `PATCH ${path}/environments/2`, { revision: 3, name: 'production' });
  await owner(404, `PATCH ${path}/environments/9`, { revision: 3, name: 'x' });
  t.strictSame(await audited(), []);

  const remove = `DELETE ${path}/environments/2`;
  await owner(409, remove, { revision: 2, name: 'stage' });
  t.match(await owner(409, remove, { revision: 3, name: 'stage' }), { error: 'Still protected' });
  await owner(200, `PATCH ${path}/environments/2`, { revision: 3, isProtected: false });
  await audited();
  t.match(await owner(200, remove, { revision: 4, name: 'stage' }), {
    project: { environments: [{ number: 1 }, { number: 3 }] },
  });
  t.match(await audited(), [{ action: 'environment.delete', environment: 'stage' }]);
  t.match(await owner(400, `DELETE ${path}/environments/1`, { revision: 5, name: 'Production' }), {
    detail: /^name must be "production"/,
  });
  await owner(404, remove, { revision: 5, name: 'stage' });
  const again = await owner(201, `POST ${path}/environments`, { name: 'staging' });
  t.match(again.project.environments, [{}, {}, { number: 4 }]);
  const shown = await owner(200, `GET ${path}/flags/${flag.id}`);
  t.strictSame(Object.keys(shown.states), ['1', '3', '4']);
  t.match(shown.states['4'], { enabled: false, trafficPercentage: 0, cohortOverride: null });
  t.match(await owner(200, `GET ${path}/audiences`), { audiences: [{ useCount: 0, uses: [] }] });
  await owner(204, `DELETE ${path}/audiences/${audience.id}`, { revision: 1 });
  const single = await owner(201, 'POST /projects', { name: 'single', isMultiEnvironment: false });
  t.match(await owner(400, `POST /projects/${single.id}/environments`, { name: 'a' }), {
    detail: /single environment/,
  });
  await audited();
});

t.test('a new project is protected as sent, and one with a single environment as a whole', async (t) => {
  const environments = ['production', 'staging'];
  const guarded = { environments, protectedEnvironments: ['production'] };
  const shop = await owner(201, 'POST /projects', { name: 'guarded', isMultiEnvironment: true, ...guarded });
  t.match(shop.environments, [{ isProtected: true }, { isProtected: false }]);
  t.same(fieldsOf((await audited())[0]).at(-1), ['protectedEnvironments', null, ['production']]);
  const wrong = { name: 'x', isMultiEnvironment: true, environments, protectedEnvironments: ['prod'] };
  t.match(await owner(400, 'POST /projects', { ...wrong, isProtected: true }), {
    detail: /protectedEnvironments lists prod.*one by one|one by one.*protectedEnvironments lists prod/s,
  });
  const { revision } = shop;
  t.match(await owner(400, `PATCH /projects/${shop.id}`, { revision, isProtected: true }), {
    detail: /protect them one by one/,
  });
  const site = await owner(201, 'POST /projects', {
    name: 'site',
    isMultiEnvironment: false,
    isProtected: true,
  });
  t.match(site, { isProtected: true });
  await audited();
  t.match(await owner(200, `PATCH /projects/${site.id}`, { revision: 1, isProtected: false }), {
    ...{ isProtected: false, revision: 2 },
  });
  t.same(fieldsOf((await audited())[0]), [['isProtected', true, false]]);
});

t.test('a preview names the active tokens that a new name affects, and matches the result', async (t) => {
  const path = `/projects/${impacted.id}/environments`;
  const preview = (number: string, name?: string) =>
    owner(200, `GET ${path}/${number}/impact${name === undefined ? '' : `?name=${name}`}`);
  const [lost, gained] = [[{ id: losing.id, name: 'old' }], [{ id: gaining.id, name: 'early' }]];
  t.strictSame(await preview('2', 'stage'), { tokensLosing: lost, tokensGaining: gained });
  const evaluations = { count: 0, isAtLeast: false };
  t.strictSame(await preview('2'), { tokensLosing: lost, tokensGaining: [], evaluations }, 'a deletion');
  t.strictSame(await preview('new', 'stage'), { tokensLosing: [], tokensGaining: gained }, 'a creation');
  t.strictSame(await preview('2', 'staging'), { tokensLosing: [], tokensGaining: [] }, 'the same name');
  for (const asked of ['2/impact?name=production', '2/impact?name=A', 'new/impact'])
    await owner(400, `GET ${path}/${asked}`);
  for (const number of ['3', '02', '0', 'x', '__proto__']) await owner(404, `GET ${path}/${number}/impact`);
  const renamed = await owner(200, `PATCH ${path}/2`, { revision: 1, name: 'stage' });
  t.strictSame(renamed.impact, { tokensLosing: lost, tokensGaining: gained });
  const deleted = await owner(200, `DELETE ${path}/2`, { revision: 2, name: 'stage' });
  t.strictSame(deleted.impact, { tokensLosing: gained, tokensGaining: [] });
});

t.test('a search finds by words of names, by id, and nothing of others', async (t) => {
  const searcher = stage.as(searcherId);
  const found = async (q: string, ask = searcher, more = '') =>
    (await ask(200, `GET /search?q=${encodeURIComponent(q)}${more}`)).results;
  const names = async (...asked: Parameters<typeof found>) =>
    (await found(...asked)).map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`);
  const [basket] = flags;
  t.strictSame(await names(' BASKET '), [
    'flag basket-limits',
    'flag secret basket',
    'flag Checkout: new basket',
  ]);
  t.strictSame(await names('new check'), ['flag Checkout: new basket']);
  t.strictSame(await names(basket?.id ?? ''), ['flag Checkout: new basket']);
  t.match(await found('new check'), [
    {
      ...{ projectId: searchedShop.id, projectName: 'shop', revision: 1, cohortCount: 2 },
      states: [{ environment: 1, name: 'production', isProtected: false, enabled: false }],
    },
  ]);
  t.strictSame(await found('office'), [{ kind: 'project', id: office.id, name: 'Back office' }]);
  t.match(await found('stag'), [
    { kind: 'environment', number: 2, name: 'staging' },
    { kind: 'flag', name: 'pay-staging' },
  ]);
  t.strictSame(await found('nothing of this'), []);
  const ofOffice = `&project=${office.id}`;
  t.strictSame(await names('basket', searcher, ofOffice), ['flag basket-limits'], 'of one project');
  t.strictSame(await found('office', searcher, ofOffice), [], 'not the project itself');
  t.strictSame(
    await names('Pay'),
    ['flag pay', 'flag easy pay', 'flag pay-later', 'flag pay-staging'],
    'an equal name, what is on in production, what begins so',
  );
  const onInProduction = ['flag secret basket', 'flag basket-limits', 'flag easy pay'];
  t.strictSame(await names(''), onInProduction, 'those changed last first');

  const seeker = stage.as(seekerId);
  t.strictSame(await names('secret', seeker), []);
  t.strictSame(await names('', seeker), onInProduction.slice(1));
  for (const id of [diary.id, impacted.id, 'x']) await seeker(404, `GET /search?project=${id}`);
  const items = await searcher(200, 'GET /search?q=item');
  t.strictSame([items.results.length, items.isComplete], [20, false]);
  const one = await searcher(200, 'GET /search?q=item-20');
  t.strictSame([one.results.length, one.isComplete], [1, true]);
  for (const q of ['İ🙂(a|b)*', '\\', '%', '🙂'.repeat(200)]) t.strictSame(await found(q), []);
  t.match(await searcher(400, `GET /search?q=${'x'.repeat(201)}`), { detail: /at most 200/ });
});

t.test('the store is sound', () => stage.stop());
