import t from 'tap';
import { membersMax } from '../../../src/domain/bounds.ts';
import { type Member, roles } from '../../../src/domain/member/member.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import {
  creationOf,
  identityOf,
  linkOf,
  memberOf,
  organisationOf,
  projectOf,
  tokenOf,
} from '../../storage/support/records.ts';
import { baseUrl, openOrganisation, startedAt } from './organisation-fixture.ts';

const days = 24 * 60 * 60 * 1000;

t.test('an organisation is shown and renamed, once for each revision', async (t) => {
  const fixture = openOrganisation(t);
  const { owner, organisation } = fixture;
  const rename = (name: string, revision: number) =>
    fixture.change('edit-organisation', owner, { body: { name, revision } });
  t.match(fixture.read('read-organisation', owner).value, { id: organisation.id, name: 'Acme', revision: 1 });
  t.match(rename('  Acme Ltd ', 1).value, { name: 'Acme Ltd', revision: 2, isEligible: true });
  t.match(fixture.audit(), [
    {
      actor: { kind: 'member', id: owner.id, name: 'Olga' },
      action: 'organisation.edit',
      at: startedAt,
      requestId: 'request-1',
      targetId: organisation.id,
      targetName: 'Acme Ltd',
      projectId: null,
      changes: [{ field: 'name', before: 'Acme', after: 'Acme Ltd' }],
    },
  ]);
  t.match(rename('Other', 1).problem, {
    code: 'conflict',
    extra: { current: { name: 'Acme Ltd', revision: 2 } },
  });
  t.strictSame(rename('Acme Ltd', 2).changes, [], 'the same name changes nothing');
  for (const bad of ['', '  ', 'a\u0000b', 'x'.repeat(201), '\ud800']) {
    t.match(rename(bad, 2).problem, { code: 'invalid-request', detail: /^name must / });
  }
  t.equal(fixture.audit().length, 1);
});

t.test('the plan’s permission for the Management API depends on the time', async (t) => {
  const fixture = openOrganisation(t);
  const before = fixture.organisation;
  const after = { ...before, plan: 'free', trialEndsAt: startedAt + 1, revision: 2 } as const;
  fixture.apply([{ kind: 'organisation', before, after }]);
  t.equal(fixture.read('read-organisation', fixture.owner).value.isEligible, true);
  fixture.now = startedAt + 1;
  t.equal(fixture.read('read-organisation', fixture.owner).value.isEligible, false);
});

t.test('only the organisation’s members are listed, by name, without their passwords', async (t) => {
  const fixture = openOrganisation(t);
  const foreign = organisationOf();
  fixture.apply([
    creationOf('organisation', foreign),
    creationOf('member', memberOf({ organisationId: foreign.id, name: 'Foreign' })),
    creationOf('member', memberOf({ name: 'Nobody' })),
  ]);
  const zoe = fixture.addMember({ name: 'Zoe', role: 'viewer', passwordHash: '$argon2id$secret' });
  const ann = fixture.addMember({ name: 'Ann', role: 'editor' });
  fixture.apply([creationOf('identity', identityOf(ann.id))]);
  const listed = fixture.read('list-members', zoe);
  t.match(listed.value.members, [
    { id: ann.id, name: 'Ann', role: 'editor', hasPassword: false, hasIdentity: true },
    { name: 'Olga', role: 'owner', hasPassword: false, hasIdentity: false },
    { name: 'Zoe', role: 'viewer', hasPassword: true, hasIdentity: false },
  ]);
  t.equal(listed.value.members.length, 3);
  t.notMatch(listed.text, /argon2id/);
});

t.test('permissions to change, remove and link a member, for every pair of roles', async (t) => {
  for (const role of ['admin', 'owner'] as const) {
    for (const target of roles) {
      const isAllowed = role === 'owner' || target !== 'owner';
      const fixture = openOrganisation(t);
      const actor = fixture.addMember({ role });
      const outcomeOf = (operation: 'edit-member' | 'remove-member' | 'make-sign-in-link', body: unknown) => {
        const params = { memberId: fixture.addMember({ role: target }).id };
        return fixture.change(operation, actor, { params, body }).problem?.code ?? 'allowed';
      };
      const expected = isAllowed ? 'allowed' : 'not-permitted';
      t.equal(outcomeOf('edit-member', { revision: 1, name: 'New' }), expected, `${role} renames ${target}`);
      t.equal(outcomeOf('remove-member', null), expected, `${role} removes ${target}`);
      t.equal(outcomeOf('make-sign-in-link', null), expected, `${role} links ${target}`);
      const viewer = fixture.addMember({ role: 'viewer' });
      const made = fixture.change('edit-member', actor, {
        params: { memberId: viewer.id },
        body: { revision: 1, role: target },
      });
      t.equal(made.problem?.code ?? 'allowed', expected, `${role} makes ${target}`);
      const invited = fixture.change('invite-member', actor, {
        body: { email: 'x@example.test', role: target },
      });
      t.equal(invited.problem?.code ?? 'allowed', expected, `${role} invites ${target}`);
    }
  }
});

t.test('a member is edited with its revision, and the audit log has the change', async (t) => {
  const fixture = openOrganisation(t);
  const member = fixture.addMember({ name: 'Ann', role: 'viewer' });
  const edit = (body: unknown, memberId = member.id) =>
    fixture.change('edit-member', fixture.owner, { params: { memberId }, body });
  t.match(edit({ revision: 1, name: ' Anna ', role: 'editor' }).value, {
    name: 'Anna',
    role: 'editor',
    revision: 2,
  });
  t.match(fixture.audit().at(-1), {
    action: 'member.edit',
    targetId: member.id,
    targetName: 'Anna',
    changes: [
      { field: 'name', before: 'Ann', after: 'Anna' },
      { field: 'role', before: 'viewer', after: 'editor' },
    ],
  });
  t.match(edit({ revision: 1, role: 'admin' }).problem, {
    code: 'conflict',
    extra: { current: { name: 'Anna', role: 'editor', revision: 2 } },
  });
  t.strictSame(edit({ revision: 2, role: 'editor' }).changes, []);
  t.match(edit({ revision: 2, name: '' }).problem, { code: 'invalid-request' });
  t.equal(fixture.audit().length, 1);
});

t.test('a member of another organisation and an unknown one get the same answer', async (t) => {
  const fixture = openOrganisation(t);
  const foreign = organisationOf();
  const member = memberOf({ organisationId: foreign.id });
  const alone = memberOf();
  fixture.apply([
    creationOf('organisation', foreign),
    creationOf('member', member),
    creationOf('member', alone),
  ]);
  const problems = [member.id, alone.id, newId(), 'no id', '__proto__'].flatMap((memberId) => {
    const sent = { params: { memberId }, body: { revision: 1 } };
    return (['edit-member', 'remove-member', 'make-sign-in-link'] as const).map(
      (operation) => fixture.change(operation, fixture.owner, sent).problem,
    );
  });
  t.equal(new Set(problems.map((problem) => JSON.stringify(problem))).size, 1);
  t.match(problems[0], { code: 'not-found' });
});

t.test('no member can remove or demote the last Owner', async (t) => {
  const fixture = openOrganisation(t);
  const { owner } = fixture;
  const other = organisationOf();
  fixture.apply([
    creationOf('organisation', other),
    creationOf('member', memberOf({ organisationId: other.id, role: 'owner' })),
  ]);
  const demote = (member: Member, by: Member) =>
    fixture.change('edit-member', by, {
      params: { memberId: member.id },
      body: { revision: 1, role: 'admin' },
    });
  const remove = (member: Member, by: Member) =>
    fixture.change('remove-member', by, { params: { memberId: member.id } });
  for (const result of [demote(owner, owner), remove(owner, owner)]) {
    t.match(result.problem, { code: 'not-permitted', detail: /last Owner/ });
  }
  const second = fixture.addMember({ role: 'owner' });
  t.equal(demote(owner, second).problem, null);
  t.match(remove(second, second).problem, { code: 'not-permitted', detail: /last Owner/ });
  const third = fixture.addMember({ role: 'owner' });
  t.equal(remove(second, second).problem, null, 'an Owner leaves');
  t.match(remove(third, third).problem, { code: 'not-permitted' });
});

t.test('removing a member ends its sessions and links; its tokens still work', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const member = fixture.addMember({ name: 'Ann', email: 'Ann@example.test', role: 'editor' });
  const other = fixture.addMember({ role: 'viewer' });
  const kept = fixture.addSession(other);
  fixture.addSession(member);
  fixture.addSession(member);
  const organisationId = fixture.organisation.id;
  const signIn = (memberId: string) => linkOf(organisationId, { purpose: { kind: 'sign-in', memberId } });
  const invitation = (email: string, createdBy: string) =>
    linkOf(organisationId, { purpose: { kind: 'invitation', email, role: 'viewer' }, createdBy });
  const keptLinks = [signIn(other.id), invitation('else@example.test', other.id)];
  const ended = [
    signIn(member.id),
    invitation('ANN@example.test', other.id),
    invitation('by@example.test', member.id),
  ];
  const token = tokenOf(project.id, { createdBy: member.id });
  fixture.apply([
    ...[...ended, ...keptLinks].map((link) => creationOf('one-time-link', link)),
    creationOf('token', token),
    creationOf('identity', identityOf(member.id)),
  ]);
  t.equal(fixture.change('remove-member', fixture.owner, { params: { memberId: member.id } }).problem, null);
  fixture.query((queries) => {
    t.equal(queries.member(member.id), undefined);
    t.strictSame([...queries.sessionsOf(member.id)], []);
    t.strictSame([...queries.sessionsOf(other.id)], [kept]);
    const linkIds = Array.from(queries.oneTimeLinksOf(organisationId), ({ id }) => id);
    t.strictSame(linkIds.toSorted(), keptLinks.map(({ id }) => id).toSorted());
    t.strictSame(queries.token(token.id), token);
    t.strictSame([...queries.identitiesOf(member.id)], []);
  });
  t.match(fixture.audit().at(-1), {
    action: 'member.remove',
    targetName: 'Ann',
    changes: [
      { field: 'name', before: 'Ann', after: null },
      { field: 'email', before: 'Ann@example.test', after: null },
      { field: 'role', before: 'editor', after: null },
    ],
  });
});

t.test('a removed member with personal projects stays, without organisation and signed out', async (t) => {
  const fixture = openOrganisation(t);
  const member = fixture.addMember({ role: 'admin', passwordHash: 'hash' });
  const project = projectOf(null, { ownerMemberId: member.id });
  fixture.addSession(member);
  fixture.apply([creationOf('project', project)]);
  fixture.change('remove-member', fixture.owner, { params: { memberId: member.id } });
  fixture.query((queries) => {
    t.match(queries.member(member.id), {
      organisationId: null,
      role: 'viewer',
      passwordHash: 'hash',
      revision: 2,
    });
    t.strictSame([...queries.sessionsOf(member.id)], []);
  });
  t.equal(fixture.read('list-members', fixture.owner).value.members.length, 1);
});

t.test('an invitation is a link for seven days whose secret is not stored', async (t) => {
  const fixture = openOrganisation(t);
  const { owner, organisation } = fixture;
  const body = { email: ' New@Example.test ', role: 'editor' };
  const { value, status } = fixture.change('invite-member', owner, { body });
  t.equal(status, 201);
  t.equal(value.expiresAt, startedAt + 7 * days);
  t.ok(value.url.startsWith(`${baseUrl}/console/link#`), value.url);
  const secret = value.url.slice(value.url.indexOf('#') + 1);
  const stored = fixture.query((queries) => queries.oneTimeLinkBySecretHash(hashSecret(secret)));
  t.match(stored, {
    id: value.id,
    organisationId: organisation.id,
    purpose: { kind: 'invitation', email: 'New@Example.test', role: 'editor' },
    createdBy: owner.id,
  });
  t.notMatch(JSON.stringify(fixture.audit()), secret);
  t.match(fixture.audit().at(-1), {
    action: 'member.invite',
    targetId: value.id,
    targetName: 'New@Example.test',
    changes: [
      { field: 'email' },
      { field: 'role', before: null, after: 'editor' },
      { field: 'linkExpiresAt' },
    ],
  });
  t.match(fixture.read('list-invitations', owner).value.invitations, [
    { id: value.id, email: 'New@Example.test', role: 'editor', createdByName: 'Olga' },
  ]);
  fixture.now = value.expiresAt - 1;
  t.equal(fixture.read('list-invitations', owner).value.invitations.length, 1);
  fixture.now = value.expiresAt;
  t.strictSame(fixture.read('list-invitations', owner).value.invitations, [], 'the invitation has ended');
});

t.test('members and invited emails cannot be invited; ended invitations do not count', async (t) => {
  const fixture = openOrganisation(t);
  const invite = (email: string) =>
    fixture.change('invite-member', fixture.owner, { body: { email, role: 'viewer' } });
  t.match(invite('OLGA@example.test').problem, { code: 'invalid-request', detail: /member .* already/ });
  const first = invite('new@example.test');
  t.match(invite('NEW@example.test').problem, { code: 'invalid-request', detail: /open invitation/ });
  fixture.now = startedAt + 7 * days;
  t.equal(invite('new@example.test').problem, null);
  t.equal(
    fixture.query((queries) => queries.oneTimeLink(first.value.id)),
    undefined,
    'the ended invitation is deleted',
  );
  const foreign = organisationOf();
  fixture.apply([
    creationOf('organisation', foreign),
    creationOf('member', memberOf({ organisationId: foreign.id, email: 'both@example.test' })),
  ]);
  t.equal(invite('both@example.test').problem, null, 'a member of another organisation can be invited');
});

t.test('an invalid email is not invited', async (t) => {
  const fixture = openOrganisation(t);
  const bad = [
    '',
    'a',
    '@b',
    'a@',
    'a@b@c',
    'a b@c',
    'a\n@b',
    'a@b\u0007',
    `${'x'.repeat(250)}@test`,
    '\ud800@b',
  ];
  for (const email of bad) {
    const { problem } = fixture.change('invite-member', fixture.owner, { body: { email, role: 'viewer' } });
    t.match(problem, { code: 'invalid-request', detail: /email must be/ }, JSON.stringify(email));
  }
  const longest = `${'x'.repeat(64)}@${'d'.repeat(189)}`;
  const body = { email: longest, role: 'viewer' };
  t.equal(fixture.change('invite-member', fixture.owner, { body }).problem, null);
});

t.test('the number of members and open invitations is limited', async (t) => {
  const fixture = openOrganisation(t);
  const organisationId = fixture.organisation.id;
  const invite = (email: string) =>
    fixture.change('invite-member', fixture.owner, { body: { email, role: 'viewer' } }).problem;
  const open = Array.from({ length: membersMax / 2 }, (_, at) => {
    const purpose = { kind: 'invitation', email: `${at}@example.test`, role: 'viewer' } as const;
    return linkOf(organisationId, { purpose, expiresAt: startedAt + days });
  });
  const members = Array.from({ length: membersMax / 2 - 2 }, (_, at) =>
    memberOf({ organisationId, email: `m${at}@example.test`, role: 'viewer' }),
  );
  fixture.apply(open.map((link) => creationOf('one-time-link', link)));
  fixture.apply(members.map((member) => creationOf('member', member)));
  t.equal(invite('last@example.test'), null);
  t.match(invite('more@example.test'), { code: 'invalid-request', detail: /1000 members and open/ });
  const [first] = members;
  fixture.change('remove-member', fixture.owner, { params: { memberId: first?.id ?? '' } });
  t.equal(invite('more@example.test'), null);
  t.match(invite('still@example.test'), { detail: /1000 members and open/ }, 'an open invitation counts');
});

t.test('a member who may make an invitation can withdraw it, which deletes it', async (t) => {
  const fixture = openOrganisation(t);
  const admin = fixture.addMember({ role: 'admin' });
  const invite = (email: string, role: string) =>
    fixture.change('invite-member', fixture.owner, { body: { email, role } }).value.id as string;
  const withdraw = (linkId: string, by: Member) =>
    fixture.change('withdraw-invitation', by, { params: { linkId } });
  const editor = invite('editor@example.test', 'editor');
  const owner = invite('owner@example.test', 'owner');
  t.equal(withdraw(editor, admin).problem, null);
  t.equal(
    fixture.query((queries) => queries.oneTimeLink(editor)),
    undefined,
  );
  t.match(fixture.audit().at(-1), {
    action: 'member.withdraw-invitation',
    targetName: 'editor@example.test',
  });
  t.match(withdraw(owner, admin).problem, { code: 'not-permitted' });
  t.equal(withdraw(owner, fixture.owner).problem, null);

  const foreign = organisationOf();
  const [link, signIn] = [
    linkOf(foreign.id, { expiresAt: startedAt + days }),
    linkOf(fixture.organisation.id, {
      purpose: { kind: 'sign-in', memberId: admin.id },
      expiresAt: startedAt + days,
    }),
  ];
  fixture.apply([
    creationOf('organisation', foreign),
    creationOf('one-time-link', link),
    creationOf('one-time-link', signIn),
  ]);
  const problems = [link.id, signIn.id, editor, newId(), 'no id'].map(
    (linkId) => withdraw(linkId, fixture.owner).problem,
  );
  t.equal(new Set(problems.map((problem) => JSON.stringify(problem))).size, 1);
  t.match(problems[0], { code: 'not-found' });
});

t.test('a sign-in link works for a day, and replaces the previous one', async (t) => {
  const fixture = openOrganisation(t);
  const member = fixture.addMember({ role: 'editor' });
  const make = () => fixture.change('make-sign-in-link', fixture.owner, { params: { memberId: member.id } });
  const first = make();
  t.equal(first.status, 201);
  t.equal(first.value.expiresAt, startedAt + days);
  const second = make();
  fixture.query((queries) => {
    t.equal(queries.oneTimeLink(first.value.id), undefined);
    t.match(queries.oneTimeLink(second.value.id), { purpose: { kind: 'sign-in', memberId: member.id } });
  });
  t.match(fixture.audit().at(-1), {
    action: 'member.make-sign-in-link',
    targetId: member.id,
    changes: [
      { field: 'linkId', before: null, after: second.value.id },
      { field: 'linkExpiresAt', before: null, after: startedAt + days },
    ],
  });
});
