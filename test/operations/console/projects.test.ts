import t from 'tap';
import { memberOf, projectOf } from '../../storage/support/records.ts';
import { openConsole, startedAt } from './console-fixture.ts';

t.test('an Admin can create a project of the organisation, and lower roles cannot', async (t) => {
  const fixture = openConsole(t);
  const admin = fixture.addMember({ role: 'admin', name: 'Ada' });
  const body = { name: '  shop ', isMultiEnvironment: true, environments: ['production', 'staging'] };
  const created = fixture.write('create-project', { member: admin, body });
  t.match(created, { code: 'ok', status: 201 });
  t.match(created.value, {
    name: 'shop',
    isPersonal: false,
    role: 'admin',
    environments: [
      { number: 1, name: 'production', isProtected: false },
      { number: 2, name: 'staging', isProtected: false },
    ],
    evaluationAccess: true,
    revision: 1,
  });
  t.match(created.changes[1], {
    kind: 'audit',
    entry: {
      ledgerId: fixture.organisation.id,
      projectId: created.value.id,
      at: startedAt,
      actor: { kind: 'member', id: admin.id, name: 'Ada' },
      action: 'project.create',
      targetId: created.value.id,
      targetName: 'shop',
      environment: null,
      requestId: 'request-1',
      changes: [
        { field: 'name', before: null, after: 'shop' },
        { field: 'environments', before: null, after: ['production', 'staging'] },
        { field: 'evaluationAccess', before: null, after: true },
      ],
    },
  });
  t.match(fixture.project(created.value.id), {
    organisationId: fixture.organisation.id,
    ownerMemberId: null,
  });
  for (const role of ['viewer', 'editor'] as const) {
    const member = fixture.addMember({ role });
    const refused = fixture.write('create-project', { member, body: { ...body, name: role } });
    t.match(refused, { code: 'not-permitted', changes: [] }, role);
  }
  const alone = fixture.addMember({ organisationId: null });
  t.match(fixture.write('create-project', { member: alone, body }), { code: 'not-permitted' });
});

t.test('any member can create a personal project, and acts as its Owner', async (t) => {
  const fixture = openConsole(t);
  const viewer = fixture.addMember({ role: 'viewer' });
  const body = { name: 'hobby', isPersonal: true, isMultiEnvironment: false };
  const created = fixture.write('create-project', { member: viewer, body });
  t.match(created.value, { isPersonal: true, isMultiEnvironment: false, environments: [], role: 'owner' });
  t.match(created.changes[1], { entry: { ledgerId: created.value.id } }, 'a ledger of its own');
  t.match(fixture.project(created.value.id), { organisationId: null, ownerMemberId: viewer.id });
  const other = fixture.addMember({});
  t.equal(
    fixture.write('create-project', { member: other, body }).code,
    'ok',
    'another member, the same name',
  );
  const again = fixture.write('create-project', { member: viewer, body });
  t.match(again, {
    code: 'invalid-request',
    detail: 'name "hobby" is taken by another project among your personal projects',
  });
});

t.test('a member owns at most 100 personal projects', async (t) => {
  const fixture = openConsole(t);
  const owned = { ownerMemberId: fixture.owner.id };
  const known = Array.from({ length: 100 }, (_, index) => projectOf(null, { name: `p${index}`, ...owned }));
  fixture.apply(known.map((after) => ({ kind: 'project', before: null, after })));
  const body = { name: 'one more', isPersonal: true, isMultiEnvironment: false };
  t.match(fixture.write('create-project', { body }), { code: 'invalid-request', detail: /100 projects/ });
  const project = fixture.addProject(null, { organisationId: null, ownerMemberId: fixture.owner.id });
  const rename = { revision: 1, name: 'renamed' };
  t.equal(fixture.write('edit-project', { project, body: rename }).code, 'ok', 'a rename adds no project');
});

t.test('all problems of a project are reported at once', async (t) => {
  const fixture = openConsole(t);
  fixture.addProject(null, { name: 'shop' });
  const create = (body: object) => fixture.write('create-project', { body }).detail;
  t.equal(
    create({ name: ' ', isMultiEnvironment: false, environments: ['Staging', 'dev', 'dev'] }),
    [
      'name must be 1 to 200 characters after trimming',
      'environments is not accepted with "isMultiEnvironment": false: a single-environment project has no list of them',
      'environments[0] must be 1 to 64 characters of a-z, 0-9, "-", "_" and "."',
      'environments[2]: "dev" is listed before',
    ].join('; '),
  );
  t.equal(
    create({ name: 'shop', isMultiEnvironment: false }),
    'name "shop" is taken by another project in this organisation',
  );
  t.match(create({ name: 'a\u0000b', isMultiEnvironment: false }), /control characters/);
  t.match(create({ name: '\ud800', isMultiEnvironment: false }), /lone surrogate/);
  const many = Array.from({ length: 101 }, (_, index) => `e${index}`);
  t.match(create({ name: 'x', isMultiEnvironment: true, environments: many }), /at most 100/);
  t.equal(
    fixture.write('create-project', { body: { name: 'x', isMultiEnvironment: true, environments: [] } }).code,
    'ok',
  );
});

t.test('name and access are edited by revision, once for each change', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production'], { name: 'shop' });
  fixture.addProject(null, { name: 'taken' });
  const edit = (body: object) => fixture.write('edit-project', { project, body });
  const edited = edit({ revision: 1, name: ' store ', evaluationAccess: false });
  t.match(edited.value, { name: 'store', evaluationAccess: false, revision: 2, environmentsRevision: 1 });
  t.strictSame((edited.changes[1] as { entry?: { changes: unknown } }).entry?.changes, [
    { field: 'name', before: 'shop', after: 'store' },
    { field: 'evaluationAccess', before: true, after: false },
  ]);
  const same = edit({ revision: 2, name: 'store' });
  t.match(same, { code: 'ok', value: { revision: 2 }, changes: [] });
  t.match(edit({ revision: 1, name: 'late' }), {
    code: 'conflict',
    extra: { current: edited.value },
    changes: [],
  });
  t.match(edit({ revision: 2, name: 'taken' }), { code: 'invalid-request', detail: /another project/ });
  t.equal(fixture.project(project.id).name, 'store');
});

t.test('the list shows the organisation’s projects and the member’s own, by name', async (t) => {
  const fixture = openConsole(t);
  const viewer = fixture.addMember({ role: 'viewer' });
  fixture.addProject(null, { name: 'z' });
  fixture.addProject(['production'], { name: 'ä' });
  fixture.addProject(null, { name: 'mine', organisationId: null, ownerMemberId: viewer.id });
  fixture.addProject(null, { name: 'another’s', organisationId: null, ownerMemberId: fixture.owner.id });
  fixture.addProject(null, { name: 'foreign', organisationId: memberOf().id });
  const list = fixture.read('list-projects', { member: viewer }).value.projects;
  t.strictSame(
    list.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [
      ['mine', 'owner'],
      ['z', 'viewer'],
      ['ä', 'viewer'],
    ],
  );
  const alone = fixture.addMember({ organisationId: null });
  t.strictSame(fixture.read('list-projects', { member: alone }).value, { projects: [] });
});

t.test('a project is read as the member sees it', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const member = fixture.addMember({ role: 'editor' });
  t.match(fixture.read('read-project', { project, member }).value, { id: project.id, role: 'editor' });
});
