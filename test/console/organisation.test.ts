import t from 'tap';
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
