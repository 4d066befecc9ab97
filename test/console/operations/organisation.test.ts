import t from 'tap';
import { newSecretText } from '../../../src/domain/token/token-secret.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import {
  creationOf,
  identityOf,
  linkOf,
  memberOf,
  organisationOf,
  projectOf,
  sessionOf,
} from '../../storage/support/records.ts';
import { runBurgeeOrThrow } from '../../support/burgee-command.ts';
import { password, roles, secretIn } from '../console-fixture.ts';
import { type Ask, fieldsOf, OperationStage } from './operation-stage.ts';

t.setTimeout(120_000);

const dayMs = 24 * 60 * 60 * 1000;
const stage = new OperationStage(t);
const { prepared } = stage;
const organisationId = prepared.organisation.id;
const ownerId = stage.member('owner', { name: 'Olga', email: 'olga@example.test' });
const adminId = stage.member('admin', { name: 'Ada' });
const zoeId = stage.member('viewer', { name: 'Zoe', passwordHash: '$argon2id$secret' });

/** Members for the tests of pairs: a renamed, a removed and a linked one for each. */
const targets = roles.map((role) => [0, 1].map(() => [0, 1, 2].map(() => stage.member(role))));
const spares = Array.from({ length: 16 }, () => stage.member('viewer'));
const spare = (): string => spares.pop() ?? '';
const demoted = stage.member('admin');
const removedAdmin = stage.member('admin');

function secretLink(change: Parameters<typeof linkOf>[1]): string {
  const secret = newSecretText(crypto.getRandomValues(new Uint8Array(32)));
  const fixed = { secretHash: hashSecret(secret), expiresAt: Date.now() + dayMs };
  stage.add([creationOf('one-time-link', linkOf(organisationId, { ...fixed, ...change }))]);
  return secret;
}

const invited = (email: string, change: object = {}) =>
  secretLink({ purpose: { kind: 'invitation', email, role: 'viewer' }, createdBy: ownerId, ...change });
const twice = [invited('twice@example.test'), invited('TWICE@example.test')];
const over = invited('over@example.test', { expiresAt: Date.now() - 60_000 });
const ofAdminToOwner = secretLink({ purpose: { kind: 'sign-in', memberId: ownerId }, createdBy: adminId });
const ownerByAdmin = invited('by@example.test', {
  purpose: { kind: 'invitation', email: 'by@example.test', role: 'owner' },
  createdBy: adminId,
});

const foreign = organisationOf({ name: 'Foreign' });
const foreignOwner = memberOf({ organisationId: foreign.id, email: 'both@example.test' });
stage.add([creationOf('organisation', foreign), creationOf('member', foreignOwner)]);

const leaverId = stage.member('editor', { name: 'Ann', email: 'Ann@example.test' });
const leaverToken = prepared.addToken({ createdBy: leaverId });
const leaverLink = secretLink({ purpose: { kind: 'sign-in', memberId: leaverId }, createdBy: ownerId });
const leaverInvitations = [
  invited('ANN@example.test'),
  invited('else@example.test', { createdBy: leaverId }),
];
stage.add([
  creationOf('session', sessionOf(leaverId, { createdAt: Date.now(), lastSeenAt: Date.now() })),
  creationOf('identity', identityOf(leaverId)),
]);
const hermitId = stage.member('admin', { email: 'hermit@example.test' });
stage.add([creationOf('project', projectOf(null, { ownerMemberId: hermitId }))]);

await stage.start();
const [owner, admin, nobody] = [stage.as(ownerId), stage.as(adminId), stage.as(null)];
const audited = () => stage.audited(owner);

/** @returns the statuses of reading a link and of following it */
async function follow(secret: string, given: object = { name: 'New', password }) {
  const ask = stage.with(stage.newClient());
  const seen = await ask.status('POST /link', { secret });
  return [seen, await ask.status('POST /link/use', { secret, ...given })];
}
const works = [200, 200];
const ended = [410, 410];

async function revisionOf(memberId: string): Promise<number> {
  const { members } = await owner(200, 'GET /members');
  return members.find(({ id }: { id: string }) => id === memberId).revision;
}

t.test('the organisation is shown and renamed, once for each revision', async (t) => {
  t.match(await owner(200, 'GET /organisation'), { name: 'Acme', revision: 1, isEligible: true });
  const renamed = await owner(200, 'PATCH /organisation', { name: '  Acme Ltd ', revision: 1 });
  t.match(renamed, { name: 'Acme Ltd', revision: 2 });
  const [entry] = await audited();
  t.match(entry, {
    actor: { kind: 'member', id: ownerId, name: 'Olga' },
    ...{ action: 'organisation.edit', targetId: organisationId, targetName: 'Acme Ltd', projectId: null },
  });
  t.strictSame(fieldsOf(entry), [['name', 'Acme', 'Acme Ltd']]);
  t.match(await owner(409, 'PATCH /organisation', { name: 'Other', revision: 1 }), {
    error: 'Changed meanwhile',
    current: { name: 'Acme Ltd', revision: 2 },
  });
  await owner(200, 'PATCH /organisation', { name: 'Acme Ltd', revision: 2 });
  for (const name of ['', '  ', 'a\u0000b', 'x'.repeat(201), '\ud800']) {
    const { detail } = await owner(400, 'PATCH /organisation', { name, revision: 2 });
    t.match(detail, /^name must /, JSON.stringify(name));
  }
  t.strictSame(await audited(), [], 'what changes nothing, or is refused, is in no entry');
});

t.test('a page that shows one member is refused while another one is signed in', async (t) => {
  const client = prepared.client(t, stage.server.port, adminId);
  const { revision } = await owner(200, 'GET /organisation');
  const send = (method: string, path: string, shown: string, body?: unknown) =>
    client.send(method, path, body, { 'burgee-member': shown });
  for (const shown of [ownerId, 'x', `${adminId},${adminId}`]) {
    const answers = [
      await send('GET', '/session', shown),
      await send('GET', '/members', shown),
      await send('PATCH', '/organisation', shown, { name: 'Theirs', revision }),
      await send('DELETE', '/session', shown),
    ];
    for (const { status, json } of answers) {
      t.equal(status, 409);
      t.match(json, { error: 'Signed in as someone else', detail: /Reload the page/ });
    }
  }
  t.match(await owner(200, 'GET /organisation'), { revision });
  t.equal((await send('GET', '/members', adminId)).status, 200);
  t.equal(
    (await stage.newClient().send('GET', '/session', undefined, { 'burgee-member': ownerId })).status,
    200,
  );
});

t.test('members are listed by name, without passwords and others', async (t) => {
  const listed = await stage.as(zoeId)(200, 'GET /members');
  const names = listed.members.map(({ name }: { name: string }) => name);
  t.strictSame(names, [...names].sort());
  t.match(listed.members.slice(0, 2), [{ name: 'Ada' }, { name: 'Ann', hasIdentity: true }]);
  const zoe = listed.members.find(({ id }: { id: string }) => id === zoeId);
  t.match(zoe, { name: 'Zoe', role: 'viewer', hasPassword: true, hasIdentity: false });
  t.notMatch(JSON.stringify(listed), /argon2id|both@example/);
});

t.test('who may change, remove, link and invite whom', async (t) => {
  for (const [byOwner, [actor, by]] of [
    ['admin', admin],
    ['owner', owner],
  ].entries() as Iterable<[number, [string, Ask]]>) {
    for (const [index, role] of roles.entries()) {
      const isAllowed = byOwner === 1 || role !== 'owner';
      const [renamed, removed, linked] = targets[index]?.[byOwner] ?? [];
      const expect = (status: number) => (isAllowed ? status : 403);
      t.comment(`${actor} and ${role}`);
      await by(expect(200), `PATCH /members/${renamed}`, { revision: 1, name: 'New' });
      await by(expect(204), `DELETE /members/${removed}`);
      await by(expect(201), `POST /members/${linked}/sign-in-link`);
      await by(expect(200), `PATCH /members/${spare()}`, { revision: 1, role });
      await by(expect(201), 'POST /invitations', { email: `${actor}-${role}@example.test`, role });
    }
  }
  for (const id of [ownerId, adminId]) {
    const { detail } = await stage.as(id)(403, `POST /members/${id}/sign-in-link`);
    t.match(detail, /for somebody else/);
  }
  await audited();
});

t.test('a member is edited by revision, and acts so from the next request on', async (t) => {
  const id = spare();
  const edited = await owner(200, `PATCH /members/${id}`, { revision: 1, name: ' Anna ', role: 'admin' });
  t.match(edited, { name: 'Anna', role: 'admin', revision: 2 });
  const [entry] = await audited();
  t.match(entry, { action: 'member.edit', targetId: id, targetName: 'Anna' });
  t.strictSame(fieldsOf(entry), [
    ['name', 'viewer', 'Anna'],
    ['role', 'viewer', 'admin'],
  ]);
  await stage.as(id)(200, 'GET /invitations');
  t.match(await owner(409, `PATCH /members/${id}`, { revision: 1, role: 'editor' }), {
    current: { name: 'Anna', role: 'admin', revision: 2 },
  });
  await owner(200, `PATCH /members/${id}`, { revision: 2, role: 'admin' });
  await owner(400, `PATCH /members/${id}`, { revision: 2, name: '' });
  t.strictSame(await audited(), []);
});

t.test(
  'an Admin edits an email, to a valid one that no other member has; members their own name',
  async (t) => {
    const id = spare();
    const email = ' Moved@Example.test ';
    const moved = await admin(200, `PATCH /members/${id}`, { revision: 1, email });
    t.match(moved, { email: 'Moved@Example.test', revision: 2 });
    t.strictSame(fieldsOf((await audited())[0])[0]?.slice(2), ['Moved@Example.test']);
    await admin(200, `PATCH /members/${id}`, { revision: 2, email: 'moved@example.test' });
    for (const [wrong, why] of [
      ['OLGA@example.test', /a member of your organisation has this email/i],
      ['no address', /email must be/],
    ] as const)
      t.match(await admin(400, `PATCH /members/${id}`, { revision: 3, email: wrong }), { detail: why });
    const self = stage.as(id);
    t.match(await self(200, 'PATCH /session', { name: ' Mo ' }), { name: 'Mo', revision: 4 });
    await self(200, 'PATCH /session', { name: 'Mo' });
    await self(400, 'PATCH /session', { name: '' });
    await self(400, 'PATCH /session', { name: 'Mo', role: 'owner' });
    const entries = await audited();
    t.match(entries.at(-1), { actor: { id, name: 'Mo' }, action: 'member.edit', targetId: id });
    t.equal(entries.length, 2);
  },
);

t.test('a sign-in is the last one of its member, without a new revision', async (t) => {
  const id = spare();
  const memberOf = async () =>
    (await owner(200, 'GET /members')).members.find((one: { id: string }) => one.id === id);
  t.match(await memberOf(), { lastSignInAt: null, revision: 1 });
  const before = Date.now();
  const { url } = await admin(201, `POST /members/${id}/sign-in-link`);
  t.strictSame(await follow(secretIn(url), {}), works);
  const { lastSignInAt, revision } = await memberOf();
  t.ok(lastSignInAt >= before && lastSignInAt <= Date.now());
  t.equal(revision, 1);
  await audited();
});

t.test('the active tokens that a member has created are listed for those who may remove them', async (t) => {
  const { tokens, more } = await admin(200, `GET /members/${leaverId}/tokens`);
  const { project } = prepared;
  t.match(tokens, [{ projectId: project.id, projectName: project.name }]);
  t.strictSame([tokens.length, more], [1, 0]);
  const { token } = await stage.as(leaverId)(201, `POST /projects/${project.id}/tokens`, {
    ...{ name: 'of Ann', permission: 'read', environments: null, expiryDays: 30 },
  });
  const names = async () =>
    (await owner(200, `GET /members/${leaverId}/tokens`)).tokens.map(({ name }: { name: string }) => name);
  t.equal((await names()).length, 2);
  await owner(200, `POST /projects/${project.id}/tokens/${token.id}/revoke`);
  t.equal((await names()).length, 1);
  t.strictSame(await owner(200, `GET /members/${zoeId}/tokens`), { tokens: [], more: 0 });
  await owner(404, `GET /members/${foreignOwner.id}/tokens`);
  await audited();
});

t.test('the last Owner stays', async (t) => {
  const others = (await owner(200, 'GET /members')).members.filter(
    ({ id, role }: { id: string; role: string }) => role === 'owner' && id !== ownerId,
  );
  for (const { id, revision } of others)
    await owner(200, `PATCH /members/${id}`, { revision, role: 'viewer' });
  const demotion = { revision: 1, role: 'admin' };
  t.match(await owner(403, `PATCH /members/${ownerId}`, demotion), { detail: /last Owner/ });
  t.match(await owner(403, `DELETE /members/${ownerId}`), { detail: /last Owner/ });
  const second = spare();
  await owner(200, `PATCH /members/${second}`, { revision: 1, role: 'owner' });
  await stage.as(second)(204, `DELETE /members/${second}`);
  await owner(403, `DELETE /members/${ownerId}`);
  await audited();
});

t.test('a removed member leaves no session, link or account; the tokens go on', async (t) => {
  await stage.as(leaverId)(200, 'GET /organisation');
  await owner(204, `DELETE /members/${leaverId}`);
  const [entry] = await audited();
  t.match(entry, { action: 'member.remove', targetName: 'Ann' });
  t.strictSame(fieldsOf(entry), [
    ['name', 'Ann', null],
    ['email', 'Ann@example.test', null],
    ['role', 'editor', null],
  ]);
  await stage.as(leaverId)(401, 'GET /organisation');
  for (const secret of [leaverLink, ...leaverInvitations]) t.strictSame(await follow(secret), ended);
  const { port } = stage.server;
  const headers = { authorization: leaverToken };
  t.equal((await fetch(`http://127.0.0.1:${port}/api/v1/flags`, { headers })).status, 200);
  await owner(204, `DELETE /members/${hermitId}`);
  await stage.as(hermitId)(401, 'GET /projects');
  const { members } = await owner(200, 'GET /members');
  t.notMatch(JSON.stringify(members), hermitId, 'the owner of a personal project is no member');
  await audited();
});

t.test('an invitation is a link for seven days, whose secret is nowhere', async (t) => {
  const { id, url, expiresAt } = await owner(201, 'POST /invitations', {
    ...{ email: ' New@Example.test ', role: 'editor' },
  });
  t.match(url, /^http:\/\/flags\.example\.test\/console\/link#[0-9A-Za-z]{49}$/);
  t.ok(Math.abs(expiresAt - Date.now() - 7 * dayMs) < 60_000);
  const [entry] = await audited();
  t.match(entry, { action: 'member.invite', targetId: id, targetName: 'New@Example.test' });
  t.match(fieldsOf(entry), [['email'], ['role', null, 'editor'], ['linkExpiresAt']]);
  const { invitations } = await owner(200, 'GET /invitations');
  const listed = invitations.find((one: { id: string }) => one.id === id);
  t.match(listed, { email: 'New@Example.test', role: 'editor', createdByName: 'Olga' });
  t.notMatch(JSON.stringify([entry, invitations]), secretIn(url));
  t.notMatch(JSON.stringify(invitations), 'over@example.test', 'ended invitations are not listed');

  t.match(await owner(400, 'POST /invitations', { email: 'OLGA@example.test', role: 'viewer' }), {
    detail: /member .* already/,
  });
  t.match(await owner(400, 'POST /invitations', { email: 'NEW@example.test', role: 'viewer' }), {
    detail: /open invitation/,
  });
  for (const email of ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c', 'a\n@b', 'a@b\u0007', '\ud800@b'].concat(
    `${'x'.repeat(250)}@test`,
  ))
    t.match(await owner(400, 'POST /invitations', { email, role: 'viewer' }), { detail: /email must be/ });
  for (const email of ['both@example.test', 'over@example.test', `${'x'.repeat(64)}@${'d'.repeat(189)}`])
    await owner(201, 'POST /invitations', { email, role: 'viewer' });

  const forOwner = await owner(201, 'POST /invitations', { email: 'o@example.test', role: 'owner' });
  await admin(403, `DELETE /invitations/${forOwner.id}`);
  await audited();
  await admin(204, `DELETE /invitations/${id}`);
  t.match(await audited(), [{ action: 'member.withdraw-invitation', targetName: 'New@Example.test' }]);
  await owner(404, `DELETE /invitations/${id}`);
  t.strictSame(await follow(secretIn(url)), ended);
  t.notOk(stage.server.lines.some((line) => line.includes(secretIn(url))));
});

t.test('a followed invitation makes a member, once', async (t) => {
  const email = 'guest@example.test';
  const { url } = await owner(201, 'POST /invitations', { email, role: 'editor' });
  const secret = secretIn(url);
  t.match(await nobody(200, 'POST /link', { secret }), { kind: 'invitation', email });
  const rivals = await Promise.all([0, 1].map(() => follow(secret)));
  t.strictSame(rivals.map(([, used]) => used).sort(), [200, 410], 'one of two at the same time');
  await nobody(410, 'POST /link', { secret: `${secret.slice(0, -1)}x` });
  await nobody(410, 'POST /link', { secret: '' });
  const again = await owner(400, 'POST /invitations', { email: 'GUEST@example.test', role: 'viewer' });
  t.match(again.detail, /member .* already/);
  t.strictSame(await follow(over), ended, 'its time is over');
  t.strictSame(await follow(twice[0] ?? ''), works);
  t.strictSame(await follow(twice[1] ?? ''), [200, 409], 'a member has this email since, in any case');
  await audited();
});

t.test('a link works while its maker may make it, and its member has the role of that time', async (t) => {
  const link = async (maker: string, memberId: string): Promise<string> =>
    secretIn((await stage.as(maker)(201, `POST /members/${memberId}/sign-in-link`)).url);
  const invite = async (maker: string, email: string): Promise<string> =>
    secretIn((await stage.as(maker)(201, 'POST /invitations', { email, role: 'viewer' })).url);
  t.strictSame(await follow(ofAdminToOwner), ended, 'an Admin makes no link of an Owner');
  t.strictSame(await follow(ownerByAdmin), ended);

  const viewer = spare();
  const first = await link(ownerId, viewer);
  const second = await link(ownerId, viewer);
  t.strictSame(await follow(first), ended, 'a newer link replaces it');
  await owner(200, `PATCH /members/${viewer}`, { revision: await revisionOf(viewer), name: 'New name' });
  t.strictSame(await follow(second, {}), works, 'a new name ends none');
  const third = await link(ownerId, viewer);
  await owner(200, `PATCH /members/${viewer}`, { revision: await revisionOf(viewer), role: 'editor' });
  t.strictSame(await follow(third), ended, 'a new role does');
  const fourth = await link(ownerId, viewer);
  await stage.as(viewer)(204, 'POST /password', { password });
  t.strictSame(await follow(fourth), ended, 'and a new password');

  const made: string[] = [];
  for (const maker of [demoted, removedAdmin])
    made.push(await link(maker, spare()), await invite(maker, `of-${maker}@example.test`));
  await owner(200, `PATCH /members/${demoted}`, { revision: 1, role: 'editor' });
  await owner(204, `DELETE /members/${removedAdmin}`);
  for (const secret of made) t.strictSame(await follow(secret), ended);
  await owner(200, `PATCH /members/${demoted}`, { revision: 2, role: 'admin' });
  t.strictSame(await follow(made[1] ?? ''), ended, 'an ended link stays so');
  await audited();
});

t.test('a sign-in by link is in the log, with link, maker, address and browser', async (t) => {
  const memberId = spare();
  const { id, email } = (await owner(200, 'GET /members')).members.find(
    (one: { id: string }) => one.id === memberId,
  );
  const { url, expiresAt } = await admin(201, `POST /members/${id}/sign-in-link`);
  t.ok(Math.abs(expiresAt - Date.now() - dayMs) < 60_000);
  t.strictSame(await follow(secretIn(url), {}), works);
  const command = ['member', 'sign-in-link', email, '--data-dir', stage.server.dataDir];
  const printed = await Promise.all([0, 1].map(() => runBurgeeOrThrow(command)));
  const [used = '', left = ''] = printed.map((line) => secretIn(line.trim()));
  t.strictSame(await follow(used), works);
  t.strictSame(await follow(left), ended, 'a new password ends the other one');
  const entries = await audited();
  const actor = { kind: 'member', id };
  const [making] = entries;
  const followed = entries.filter(({ action }) => action === 'session.begin');
  for (const entry of followed)
    t.match(entry, { actor, targetId: id, address: '127.0.0.1', projectId: null });
  const linkId = fieldsOf(making)[0][2];
  t.strictSame(fieldsOf(followed[0]), [
    ['method', null, 'link'],
    ['linkId', null, linkId],
    ['linkMadeBy', null, adminId],
    ['userAgent', null, ''],
  ]);
  t.match(fieldsOf(followed[1]), [['method'], ['linkId'], ['linkMadeBy', null, 'operator'], ['userAgent']]);
  t.match(making, { action: 'member.make-sign-in-link', targetId: id, actor: { id: adminId } });
  t.match(entries.at(-2), { actor, action: 'member.edit', changes: [{ field: 'password', after: 'set' }] });
});

t.test('the store is sound', () => stage.stop());
