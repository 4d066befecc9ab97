import t from 'tap';
import { newId } from '../../src/support/random-id.ts';
import { creationOf, organisationOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PreparedStore } from './prepared-store.ts';

t.setTimeout(120_000);

t.test('members are invited, edited and removed, and the audit log records it', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const [ownerId, editorId] = [prepared.addMember('owner'), prepared.addMember('editor')];
  await prepared.write(dataDir);
  const settings = { BURGEE_BASE_URL: 'http://flags.example.test' };
  const server = await bootServer(t, { dataDir, settings });
  const [owner, editor] = [ownerId, editorId].map((id) => prepared.client(t, server.port, id));
  if (owner === undefined || editor === undefined) throw new Error('both are there');
  const origin = { origin: settings.BURGEE_BASE_URL };

  t.match((await owner.send('GET', '/organisation')).json, { name: 'Acme', isEligible: true, revision: 1 });
  const invited = await owner.send('POST', '/invitations', { email: 'a@b', role: 'viewer' }, origin);
  t.equal(invited.status, 201);
  t.match(invited.json.url, /^http:\/\/flags\.example\.test\/console\/link#[0-9A-Za-z]{49}$/);
  t.equal((await owner.send('GET', '/invitations')).json.invitations.length, 1);
  const twice = await owner.send('POST', '/invitations', { email: 'A@b', role: 'viewer' }, origin);
  t.equal(twice.status, 400);
  t.match(twice.json, { error: 'Invalid request', detail: /open invitation/ });
  const withdrawn = await owner.send('DELETE', `/invitations/${invited.json.id}`, undefined, origin);
  t.equal(withdrawn.status, 204);
  t.equal(withdrawn.text, '');

  const path = `/members/${editorId}`;
  const edited = await owner.send('PATCH', path, { revision: 1, role: 'admin' }, origin);
  t.match(edited.json, { role: 'admin', revision: 2 });
  const stale = await owner.send('PATCH', path, { revision: 1, role: 'viewer' }, origin);
  t.equal(stale.status, 409);
  t.match(stale.json, { error: 'Changed meanwhile', current: { role: 'admin', revision: 2 } });
  t.equal((await editor.send('GET', '/invitations')).status, 200, 'an Admin from the next request on');
  t.equal((await owner.send('POST', `${path}/sign-in-link`, undefined, origin)).status, 201);
  t.equal((await owner.send('DELETE', path, undefined, origin)).status, 204);
  t.equal((await editor.send('GET', '/organisation')).status, 401, 'the session has ended');
  t.equal((await owner.send('DELETE', `/members/${ownerId}`, undefined, origin)).status, 403);
  t.equal((await owner.send('GET', '/members')).json.members.length, 1);

  const { entries, nextCursor } = (await owner.send('GET', '/audit')).json;
  t.strictSame(
    entries.map(({ action }: { action: string }) => action),
    [
      'member.remove',
      'member.make-sign-in-link',
      'member.edit',
      'member.withdraw-invitation',
      'member.invite',
    ],
  );
  t.equal(nextCursor, null);
  t.match(entries[0].actor, { kind: 'member', id: ownerId });
  t.notMatch(JSON.stringify(entries), invited.json.url.split('#')[1], 'the link’s secret is in no answer');
  await server.stop();
  t.notOk(server.lines.some((line) => line.includes(invited.json.url.split('#')[1])));
});

t.test('permissions of each role, of another organisation’s Owner and of a signed-out client', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const foreign = organisationOf({ name: 'Foreign' });
  prepared.add([creationOf('organisation', foreign)]);
  const people = {
    viewer: prepared.addMember('viewer'),
    editor: prepared.addMember('editor'),
    admin: prepared.addMember('admin'),
    owner: prepared.addMember('owner'),
    foreign: prepared.addMember('owner', foreign.id),
    nobody: newId(),
  };
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir, settings: { BURGEE_CONSOLE_RATE_LIMIT: '100000' } });
  const projectPath = `/projects/${prepared.project.id}`;
  const member = `/members/${people.viewer}`;
  const wrong = { revision: 99 };
  // Statuses for viewer, editor, admin, owner, the other organisation's Owner, and a signed-out client. With 409 a
  // change was permitted as far as the check of its revision, with 404 as far as the look-up of its record.
  const table: readonly (readonly [string, string, unknown, readonly number[]])[] = [
    ['GET', '/organisation', undefined, [200, 200, 200, 200, 200, 401]],
    ['PATCH', '/organisation', { ...wrong, name: 'x' }, [403, 403, 403, 409, 409, 401]],
    ['GET', '/members', undefined, [200, 200, 200, 200, 200, 401]],
    ['PATCH', member, wrong, [403, 403, 409, 409, 404, 401]],
    ['DELETE', `/members/${newId()}`, undefined, [403, 403, 404, 404, 404, 401]],
    ['POST', `/members/${newId()}/sign-in-link`, undefined, [403, 403, 404, 404, 404, 401]],
    ['GET', '/invitations', undefined, [403, 403, 200, 200, 200, 401]],
    ['POST', '/invitations', { email: 'no', role: 'viewer' }, [403, 403, 400, 400, 400, 401]],
    ['DELETE', `/invitations/${newId()}`, undefined, [403, 403, 404, 404, 404, 401]],
    ['GET', '/audit', undefined, [200, 200, 200, 200, 200, 401]],
    ['GET', '/audit/export', undefined, [200, 200, 200, 200, 200, 401]],
    ['GET', `${projectPath}/audit`, undefined, [200, 200, 200, 200, 404, 401]],
    ['GET', `${projectPath}/audit/export`, undefined, [200, 200, 200, 200, 404, 401]],
    ['GET', `${projectPath}/events?x=1`, undefined, [400, 400, 400, 400, 400, 400]],
  ];
  for (const [method, path, body, statuses] of table) {
    const answers = await Promise.all(
      Object.values(people).map((id) => prepared.client(t, server.port, id).send(method, path, body)),
    );
    t.strictSame(
      answers.map(({ status }) => status),
      statuses,
      `${method} ${path}`,
    );
  }
  const other = prepared.client(t, server.port, people.foreign);
  for (const path of [`${projectPath}/audit`, `/projects/${newId()}/audit`]) {
    const { json } = await other.send('GET', path);
    t.match(json, { detail: 'None of your projects has this id. It may have been deleted.' });
  }
  t.match((await other.send('GET', '/members')).json.members, [{ id: people.foreign }]);
  await server.stop();
});
