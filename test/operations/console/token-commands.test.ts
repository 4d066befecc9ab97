import t from 'tap';
import { activeTokensMax, revokedTokensKeptMax, tokenLifetimeMaxMs } from '../../../src/domain/bounds.ts';
import { roles } from '../../../src/domain/member/member.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { readTokenSecret } from '../../../src/domain/token/token-secret.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import {
  creationOf,
  denialOf,
  flagChangeOf,
  flagOf,
  memberOf,
  tokenOf,
  tokenUseOf,
} from '../../storage/support/records.ts';
import { allowed, openTokenFixture, refusedWith, startedAt, type TokenFixture } from './token-fixture.ts';

const dayMs = 24 * 60 * 60 * 1000;

function audited(changes: readonly RecordChange[]) {
  return changes.flatMap((change) => (change.kind === 'audit' ? [change.entry] : []));
}

t.test('a token is made as requested; its secret is shown once and stored as a hash', async (test) => {
  const fixture = openTokenFixture(test);
  const project = fixture.addProject(['production', 'staging']);
  const editor = fixture.principal(project);
  const wish = { name: '  deploy ', permission: 'read', environments: ['staging'], expiryDays: 30 } as const;
  const { value, changes } = allowed(fixture.create(editor, wish));
  const { token, secret } = value;
  test.match(token, { name: 'deploy', permission: 'read', environments: ['staging'], status: 'active' });
  test.match(token, { createdById: editor.member.id, createdByName: 'The editor', isManageable: true });
  test.match(token, { expiresAt: startedAt + 30 * dayMs, lastUsedAt: null, lastDeniedAt: null });
  const stored = fixture.query((queries) => queries.token(token.id));
  const part = readTokenSecret(secret, ['burgee']) ?? '';
  test.equal(part.length, 49);
  test.strictSame(stored?.secretHash, hashSecret(part));
  const [entry] = audited(changes);
  test.match(entry, { action: 'token.create', targetId: token.id, ledgerId: fixture.organisation.id });
  test.match(entry?.actor, { kind: 'member', id: editor.member.id, name: 'The editor' });
  test.notMatch(JSON.stringify(entry), part, 'the secret is in no audit entry');
});

t.test('every offered expiry works, and the longest is exactly the limit', async (test) => {
  const fixture = openTokenFixture(test);
  const editor = fixture.principal(fixture.addProject(null));
  for (const expiryDays of [0, 30, 90, 365] as const) {
    const { token } = allowed(fixture.create(editor, { expiryDays })).value;
    test.equal(token.expiresAt, expiryDays === 0 ? 0 : startedAt + expiryDays * dayMs);
  }
  const { token } = allowed(fixture.create(editor, { expiryDays: 365 })).value;
  test.equal(token.expiresAt - token.createdAt, tokenLifetimeMaxMs);
});

t.test('all problems of a token are reported at once, and nothing is stored', async (test) => {
  const fixture = openTokenFixture(test);
  const group = fixture.principal(fixture.addProject(['production']));
  const single = fixture.principal(fixture.addProject(null));
  const refused = (principal: typeof group, wish: Parameters<TokenFixture['create']>[1]): string => {
    const outcome = fixture.create(principal, wish);
    test.equal(refusedWith(outcome), 'invalid-request');
    return outcome.ok ? '' : outcome.problem.detail;
  };
  test.equal(refused(single, { name: ' ' }), 'name must be 1 to 100 characters after trimming');
  test.match(refused(single, { name: 'a'.repeat(101) }), '1 to 100');
  test.match(refused(single, { name: 'a\nb' }), 'control characters');
  test.match(refused(single, { name: 'a\ud800' }), 'Unicode');
  test.match(refused(single, { environments: ['production'] }), 'must be null');
  test.match(refused(group, { environments: [] }), 'at least one');
  test.match(refused(group, { environments: ['production', 'production'] }), 'once');
  test.equal(
    refused(group, { name: '', environments: ['nowhere'] }),
    'name must be 1 to 100 characters after trimming; environments names "nowhere", which is not an environment of this project: production',
  );
  test.strictSame(fixture.list(group), []);
  test.equal(allowed(fixture.create(single, { name: '😀'.repeat(100) })).value.token.name.length, 200);
});

t.test(
  'the 50th token is made and the 51st is not, until one is revoked; an expired one counts',
  async (test) => {
    const fixture = openTokenFixture(test);
    const project = fixture.addProject(null);
    const admin = fixture.principal(project, 'admin');
    const expired = tokenOf(project.id, { expiresAt: startedAt - 1 });
    const gone = tokenOf(project.id, { revokedAt: 1 });
    const others = Array.from({ length: activeTokensMax - 2 }, () => tokenOf(project.id));
    fixture.apply([expired, gone, ...others].map((token) => creationOf('token', token)));
    const fiftieth = allowed(fixture.create(admin)).value.token;
    const refused = fixture.create(admin);
    test.equal(refusedWith(refused), 'invalid-request');
    test.match(refused, { problem: { detail: /has 50 tokens, and at most 50 are allowed/ } });

    const rotated = allowed(fixture.rotate(admin, fiftieth.id)).value.token;
    test.not(rotated.id, fiftieth.id, 'a full project still rotates: the original frees its place');
    test.equal(refusedWith(fixture.create(admin)), 'invalid-request');
    test.equal(allowed(fixture.revoke(admin, expired.id)).value.status, 'revoked');
    test.equal(refusedWith(fixture.create(admin)), 'allowed');
    test.equal(refusedWith(fixture.create(admin)), 'invalid-request');
  },
);

t.test('a token in every status, revoked and rotated', async (test) => {
  const cases = [
    { change: {}, revoke: 'allowed', rotate: 'allowed' },
    { change: { expiresAt: startedAt + 1 }, revoke: 'allowed', rotate: 'allowed' },
    { change: { expiresAt: startedAt }, revoke: 'allowed', rotate: 'conflict' },
    { change: { expiresAt: startedAt - 1 }, revoke: 'allowed', rotate: 'conflict' },
    { change: { revokedAt: 5 }, revoke: 'allowed', rotate: 'conflict' },
    { change: { revokedAt: 5, expiresAt: startedAt - 1 }, revoke: 'allowed', rotate: 'conflict' },
  ];
  for (const { change, revoke, rotate } of cases) {
    const fixture = openTokenFixture(test);
    const project = fixture.addProject(null);
    const owner = fixture.principal(project, 'owner');
    const [first, second] = [tokenOf(project.id, change), tokenOf(project.id, change)];
    fixture.apply([creationOf('token', first), creationOf('token', second)]);
    const name = JSON.stringify(change);
    test.equal(refusedWith(fixture.rotate(owner, first.id)), rotate, `rotate ${name}`);
    test.equal(refusedWith(fixture.revoke(owner, second.id)), revoke, `revoke ${name}`);
    const stored = fixture.query((queries) => queries.token(second.id));
    test.equal(stored?.revokedAt, 'revokedAt' in change ? 5 : startedAt, 'the first revocation is kept');
    if (rotate === 'conflict') {
      test.match(fixture.rotate(owner, first.id), { problem: { extra: { current: { id: first.id } } } });
      test.strictSame(
        fixture.query((queries) => queries.token(first.id)),
        first,
        'nothing was written',
      );
    }
  }
});

t.test('revoking a revoked token gives its state, and nothing is written', async (test) => {
  const fixture = openTokenFixture(test);
  const admin = fixture.principal(fixture.addProject(null), 'admin');
  const { token } = allowed(fixture.create(admin)).value;
  test.equal(audited(allowed(fixture.revoke(admin, token.id)).changes)[0]?.action, 'token.revoke');
  fixture.now += 1;
  const again = allowed(fixture.revoke(admin, token.id));
  test.strictSame(again.changes, []);
  test.equal(again.value.revokedAt, startedAt);
});

t.test(
  'a rotation keeps name, permission, environments and expiry, and revokes the original with it',
  async (test) => {
    const fixture = openTokenFixture(test);
    const project = fixture.addProject(['production']);
    const editor = fixture.principal(project);
    const wish = { name: 'ci', environments: ['production'], expiryDays: 90 } as const;
    const { token, secret } = allowed(fixture.create(editor, wish)).value;
    fixture.apply([
      {
        kind: 'token',
        before: fixture.query((queries) => queries.token(token.id)) ?? null,
        after: {
          ...tokenOf(project.id),
          ...fixture.query((queries) => queries.token(token.id)),
          denialEmailedAt: 9,
        },
      },
    ]);
    fixture.now += dayMs;
    const { value, changes } = allowed(fixture.rotate(fixture.principal(project, 'admin'), token.id));
    const { id, name, permission, environments, expiresAt, createdById, createdAt } = value.token;
    test.strictSame(
      [name, permission, environments, expiresAt],
      ['ci', 'write', ['production'], token.expiresAt],
    );
    test.strictSame([createdById, createdAt], [fixture.member('admin').id, fixture.now]);
    test.not(value.secret, secret);
    const [original, replacement] = fixture.query((queries) => [queries.token(token.id), queries.token(id)]);
    test.equal(original?.revokedAt, fixture.now);
    test.equal(replacement?.denialEmailedAt, 0, 'as a new token it has had no mail');
    const entries = audited(changes);
    test.equal(entries.length, 2);
    test.match(entries[0], { action: 'token.rotate', targetId: token.id });
    test.match(entries[1], { action: 'token.create', targetId: id, targetName: 'ci' });
    test.strictSame(entries[1]?.changes, [
      { field: 'name', before: null, after: 'ci' },
      { field: 'permission', before: null, after: 'write' },
      { field: 'environments', before: null, after: ['production'] },
      { field: 'expiresAt', before: null, after: token.expiresAt },
      { field: 'replaces', before: null, after: token.id },
    ]);
    test.not(entries[0]?.id, entries[1]?.id);
    test.match(entries[0]?.changes, [{ field: 'revokedAt' }, { field: 'replacedBy', after: id }]);
  },
);

t.test('the creator, Admins and Owners may revoke and rotate', async (test) => {
  const fixture = openTokenFixture(test);
  const project = fixture.addProject(null);
  for (const creator of roles) {
    for (const asking of roles) {
      const token = tokenOf(project.id, { createdBy: fixture.member(creator).id });
      fixture.apply([creationOf('token', token)]);
      const principal = fixture.principal(project, asking);
      const may = asking === creator || asking === 'admin' || asking === 'owner';
      const [shown] = fixture.list(principal).filter(({ id }) => id === token.id);
      test.equal(shown?.isManageable, may, `${asking} of ${creator}'s`);
      test.equal(refusedWith(fixture.rotate(principal, token.id)), may ? 'allowed' : 'not-permitted');
      test.equal(refusedWith(fixture.revoke(principal, token.id)), may ? 'allowed' : 'not-permitted');
    }
  }
  const ofOperator = tokenOf(project.id);
  fixture.apply([creationOf('token', ofOperator)]);
  test.equal(refusedWith(fixture.revoke(fixture.principal(project), ofOperator.id)), 'not-permitted');
  test.equal(refusedWith(fixture.revoke(fixture.principal(project, 'admin'), ofOperator.id)), 'allowed');
});

t.test('without eligibility tokens are read-only, from the exact end of a trial', async (test) => {
  const cases: readonly [Partial<Organisation>, 'allowed' | 'plan-required'][] = [
    [{ plan: 'free' }, 'plan-required'],
    [{ plan: 'free', trialEndsAt: startedAt }, 'plan-required'],
    [{ plan: 'free', trialEndsAt: startedAt + 1 }, 'allowed'],
    [{ plan: 'teams' }, 'allowed'],
    [{ plan: 'teams', subscription: 'lapsed' }, 'plan-required'],
    [{ plan: 'enterprise', subscription: 'lapsed' }, 'plan-required'],
  ];
  for (const [change, expected] of cases) {
    const fixture = openTokenFixture(test);
    const { organisation: before } = fixture;
    fixture.apply([{ kind: 'organisation', before, after: { ...before, ...change } }]);
    const project = fixture.addProject(null);
    const token = tokenOf(project.id);
    fixture.apply([creationOf('token', token)]);
    const owner = fixture.principal(project, 'owner');
    const name = JSON.stringify(change);
    test.equal(fixture.list(owner)[0]?.isManageable, expected === 'allowed', name);
    test.ok(fixture.activity(owner, token.id).ok, name);
    test.equal(refusedWith(fixture.create(owner)), expected, name);
    test.equal(refusedWith(fixture.rotate(owner, token.id)), expected, name);
    test.equal(refusedWith(fixture.revoke(owner, token.id)), expected, name);
  }
});

t.test('a personal project has no tokens, and another project’s tokens are unknown', async (test) => {
  const fixture = openTokenFixture(test);
  const [project, other] = [fixture.addProject(null), fixture.addProject(null)];
  const personal = fixture.addProject(null, {
    organisationId: null,
    ownerMemberId: fixture.member('owner').id,
  });
  const owner = fixture.principal(personal, 'owner');
  test.strictSame(fixture.list(owner), []);
  test.equal(refusedWith(fixture.create(owner)), 'not-permitted');
  const token = tokenOf(other.id);
  fixture.apply([creationOf('token', token)]);
  const details = [token.id, 'z'.repeat(20), '__proto__', ''].flatMap((id) => {
    const admin = fixture.principal(project, 'admin');
    return [fixture.revoke(admin, id), fixture.rotate(admin, id), fixture.activity(admin, id)];
  });
  test.equal(new Set(details.map((outcome) => JSON.stringify(outcome))).size, 1);
  test.match(details[0], { problem: { code: 'not-found' } });
});

t.test('a denial names the flag that the request named, of this project alone', async (test) => {
  const fixture = openTokenFixture(test);
  const [project, other] = [fixture.addProject(null), fixture.addProject(null)];
  const token = tokenOf(project.id);
  const [own, foreign] = [flagOf(project.id, { name: 'gift-cards' }), flagOf(other.id, { name: 'secret' })];
  const unknown = newId();
  fixture.apply([
    creationOf('token', token),
    flagChangeOf(null, own),
    flagChangeOf(null, foreign),
    ...[own.id, foreign.id, unknown].map(
      (flagId, at) => ({ kind: 'activity', denial: denialOf(token.id, { at, flagId }) }) as const,
    ),
    { kind: 'activity', denial: denialOf(token.id, { at: 3 }) },
  ]);
  const { denials } = allowed(fixture.activity(fixture.principal(project, 'viewer'), token.id));
  test.strictSame(
    denials.map(({ flag }) => flag),
    [null, { id: unknown, name: null }, { id: foreign.id, name: null }, { id: own.id, name: 'gift-cards' }],
  );
});

t.test(
  'the list has unrevoked tokens by name, then the newest revoked ones, with last use and last denial',
  async (test) => {
    const fixture = openTokenFixture(test);
    const project = fixture.addProject(null);
    const left = memberOf();
    const tokens = [
      tokenOf(project.id, { name: 'b', createdBy: left.id }),
      tokenOf(project.id, { name: 'a', createdAt: 2 }),
      tokenOf(project.id, { name: 'a' }),
      ...Array.from({ length: 202 }, (_, at) => tokenOf(project.id, { name: 'gone', revokedAt: at + 1 })),
    ];
    fixture.apply(tokens.map((token) => creationOf('token', token)));
    const [used] = tokens;
    if (used === undefined) throw new Error('there is one');
    fixture.apply([
      { kind: 'token-use', use: tokenUseOf(used.id, { at: 10 }) },
      { kind: 'token-use', use: tokenUseOf(used.id, { at: 30, count: 7, environment: 'production' }) },
      { kind: 'activity', denial: denialOf(used.id, { at: 20 }) },
    ]);
    const listed = fixture.list(fixture.principal(project, 'viewer'));
    test.strictSame(
      listed.slice(0, 4).map(({ name, createdAt, revokedAt }) => [name, createdAt, revokedAt]),
      [
        ['a', 1, null],
        ['a', 2, null],
        ['b', 1, null],
        ['gone', 1, 202],
      ],
    );
    test.equal(listed.length, 203);
    test.match(listed[2], { lastUsedAt: 30, lastDeniedAt: 20, createdById: left.id, createdByName: null });
    const { uses, denials } = allowed(fixture.activity(fixture.principal(project, 'viewer'), used.id));
    test.strictSame(
      uses.map(({ at, count, environment }) => [at, count, environment]),
      [
        [30, 7, 'production'],
        [10, 1, null],
      ],
    );
    test.strictSame(
      denials.map(({ at, reason }) => [at, reason]),
      [[20, 'token-revoked']],
    );
  },
);

t.test(
  'of the revoked tokens of a project the newest are kept, and the others with all that is theirs go',
  async (test) => {
    const fixture = openTokenFixture(test);
    const editor = fixture.principal(fixture.addProject(null));
    let present = allowed(fixture.create(editor)).value.token.id;
    const made = [present];
    const denial = denialOf(present);
    fixture.apply([
      { kind: 'activity', denial },
      { kind: 'token-use', use: tokenUseOf(present) },
    ]);
    const rotate = (): void => {
      fixture.now += 1;
      present = allowed(fixture.rotate(editor, present)).value.token.id;
      made.push(present);
    };
    // A rotation drops what was too much before it.
    for (let count = 0; count <= revokedTokensKeptMax; count += 1) rotate();
    const rowsOf = (tokenId: string) =>
      fixture.query((queries) => [
        queries.token(tokenId),
        ...queries.denialsOf(tokenId),
        ...queries.usesOf(tokenId),
      ]);
    const [first = ''] = made;
    test.equal(rowsOf(first).length, 3);
    rotate();
    test.strictSame(rowsOf(first), [undefined]);
    const listed = fixture.list(editor);
    test.equal(listed.length, 1 + revokedTokensKeptMax);
    test.strictSame(
      listed.map(({ id }) => id),
      made.slice(-1 - revokedTokensKeptMax).reverse(),
    );
    const stored = fixture.query((queries) => [...queries.tokensOf(editor.project.id)].length);
    test.equal(stored, 2 + revokedTokensKeptMax);
    fixture.now += 1;
    allowed(fixture.create(editor));
    test.equal(rowsOf(made[1] ?? '').length, 1, 'each creation drops, too');
    test.strictSame(
      fixture.query((queries) => queries.token(made[1] ?? '')),
      undefined,
    );
  },
);
