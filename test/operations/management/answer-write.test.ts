import t from 'tap';
import { docsUrl, openFixture, startedAt } from './management-fixture.ts';

const day = 24 * 60 * 60 * 1000;
const body = { enabled: true };

t.test('a request without a valid token is a failed authentication, and nothing is recorded', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null));
  const mistyped = authorization.slice(0, -1) + (authorization.endsWith('0') ? '1' : '0');
  const cases: [string | null, string][] = [
    [null, 'Missing bearer token'],
    ['', 'Missing bearer token'],
    ['Bearer', 'Malformed bearer token'],
    ['Basic abc', 'Malformed bearer token'],
    [`${authorization} x`, 'Malformed bearer token'],
    [authorization.replace('Bearer ', ''), 'Malformed bearer token'],
    [authorization.replace('burgee', 'other'), 'Malformed bearer token'],
    [mistyped, 'Malformed bearer token'],
    [`Bearer ${'x'.repeat(10_000)}`, 'Malformed bearer token'],
  ];
  for (const [header, title] of cases) {
    const answer = fixture.write('patch-flag', { authorization: header, flagId: 'x', body });
    t.match(
      answer,
      { status: 401, isFailedAuthentication: true, tokenId: null, changes: [] },
      header ?? 'none',
    );
    t.equal(answer.body.error, title);
  }
});

t.test('a well-formed secret without a token is unknown', async (t) => {
  const fixture = openFixture(t);
  const elsewhere = openFixture(t);
  const { authorization } = elsewhere.addToken(elsewhere.addProject(null));
  const answer = fixture.write('create-flag', { authorization, body: { name: 'x' } });
  t.match(answer, { status: 401, body: { error: 'Unknown token' }, isFailedAuthentication: true });
});

t.test('Bearer matches in upper and lower case', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null));
  for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
    const header = authorization.replace('Bearer', scheme);
    t.equal(fixture.write('create-flag', { authorization: header, body: { name: 'x' } }).status, 201, scheme);
  }
});

t.test('a revoked or expired token is a denial and no failed authentication', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['staging']);
  const revoked = fixture.addToken(project, { revokedAt: startedAt - 1, permission: 'read' });
  const expired = fixture.addToken(project, { expiresAt: startedAt });
  const patch = (authorization: string) =>
    fixture.write('patch-flag', { authorization, flagId: 'x', query: 'env=staging', body });
  t.match(patch(revoked.authorization), {
    status: 401,
    body: { error: 'Token revoked', docs: `${docsUrl}#token-revoked` },
    isFailedAuthentication: false,
    tokenId: revoked.token.id,
    changes: [{ kind: 'activity', denial: { reason: 'token-revoked', environment: 'staging' } }, {}, {}],
  });
  t.match(
    patch(expired.authorization),
    { status: 401, body: { error: 'Token expired' } },
    'at exactly that time',
  );
  fixture.now = startedAt - 1;
  t.equal(patch(expired.authorization).status, 404, 'and not before');
});

t.test('an ineligible organisation gets 402, and its tokens work again later', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null), { permission: 'read' });
  const status = () => fixture.write('create-flag', { authorization, body: { name: 'x' } }).status;
  const before = fixture.organisation;
  const setPlan = (changed: object) =>
    fixture.apply([{ kind: 'organisation', before, after: { ...before, ...changed } }]);
  setPlan({ plan: 'free' });
  t.equal(status(), 402, 'before the check of the permission');
  setPlan({ subscription: 'lapsed' });
  t.equal(status(), 402);
  setPlan({ plan: 'free', trialEndsAt: startedAt });
  t.equal(status(), 402, 'a trial has ended at its end');
  setPlan({ plan: 'free', trialEndsAt: startedAt + 1 });
  t.equal(status(), 403, 'eligible again: now the permission is refused');
});

t.test('a personal project is not eligible', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null, { organisationId: null }));
  const answer = fixture.write('create-flag', { authorization, body: { name: 'x' } });
  t.match(answer, {
    status: 402,
    body: { error: 'Plan required' },
    isFailedAuthentication: false,
    changes: [],
  });
});

t.test('an unknown endpoint is a 404, after eligibility and before permission', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null), { permission: 'read' });
  t.match(fixture.write(null, { authorization, isBodyTooLarge: true }), {
    status: 404,
    body: { error: 'Not found' },
    changes: [],
  });
  t.equal(fixture.write(null, {}).status, 401);
});

t.test('a read token cannot write, with any request, and the answer says so', async (t) => {
  const fixture = openFixture(t);
  const { token, authorization } = fixture.addToken(fixture.addProject(null), { permission: 'read' });
  const refuse = () => fixture.write('create-flag', { authorization, isBodyTooLarge: true });
  const answer = refuse();
  t.match(answer, { status: 403, body: { error: 'Insufficient permission' }, tokenId: token.id });
  t.match(answer.body.detail, /has read permission, and this endpoint needs write permission/);

  const kinds = () => refuse().changes.map(({ kind }) => kind);
  t.strictSame(kinds(), ['activity'], 'mailed once in 24 hours');
  fixture.now = startedAt + day;
  t.strictSame(kinds(), ['activity', 'outbox', 'token']);
  t.strictSame(kinds(), ['activity']);
});

t.test('the writer takes no read', async (t) => {
  const fixture = openFixture(t);
  t.throws(() => fixture.write('read-token', {}), /worker's to answer/);
});
