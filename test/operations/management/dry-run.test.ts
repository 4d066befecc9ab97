import t from 'tap';
import { openFixture } from './management-fixture.ts';

const query = 'dryRun=true';

t.test('a dry run answers as the write would, and changes nothing', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project);
  const { authorization } = fixture.addToken(project);
  const patch = (dryRun: string) =>
    fixture.write('patch-flag', { authorization, flagId: flag.id, query: dryRun, body: { enabled: true } });
  const tried = patch(query);
  t.match(tried, { status: 200, changes: [], entityTag: null, body: { changed: true } });
  const written = patch('dryRun=false');
  t.equal(tried.text, written.text, 'the same bytes');
  t.match(written, { changes: [{ kind: 'flag' }, { kind: 'audit' }], entityTag: '"2-1"' });
  t.match(patch(query), { changes: [], entityTag: null, body: { changed: false } });

  const created = fixture.write('create-flag', { authorization, query, body: { name: 'new' } });
  t.match(created, { status: 201, changes: [], entityTag: null });
  t.equal(fixture.read('read-flag', { authorization, flagId: created.body.id }).status, 404);
});

t.test('a denial is recorded in a dry run too', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['staging']);
  const { authorization } = fixture.addToken(project, { permission: 'read' });
  const refused = fixture.write('create-flag', { authorization, query, body: { name: 'new' } });
  t.match(refused, { status: 403, changes: [{ kind: 'activity' }, { kind: 'outbox' }, { kind: 'token' }] });
});
