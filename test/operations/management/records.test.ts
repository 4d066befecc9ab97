import t from 'tap';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { openFixture, startedAt } from './management-fixture.ts';

/* What the Management API stores with an answer. The answers themselves are conformance cases. */
const day = 24 * 60 * 60 * 1000;

function auditOf(changes: readonly RecordChange[]) {
  return changes.flatMap((change) => (change.kind === 'audit' ? [change.entry] : []));
}

t.test('a change is stored with one audit entry, a repeated patch with nothing', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['staging']);
  const flag = fixture.addFlag(project);
  const { token, authorization } = fixture.addToken(project);
  const request = { authorization, flagId: flag.id, query: 'env=staging', body: { enabled: true } };
  const first = fixture.write('patch-flag', request);
  t.equal(first.tokenId, token.id);
  t.equal(first.changes.length, 2);
  t.match(auditOf(first.changes), [
    {
      ledgerId: fixture.organisation.id,
      projectId: project.id,
      at: startedAt,
      actor: { kind: 'token', id: token.id, name: 'ci' },
      action: 'flag.patch',
      targetId: flag.id,
      targetName: 'checkout',
      environment: 'staging',
      changes: [{ field: 'enabled', before: false, after: true }],
      requestId: 'request-1',
    },
  ]);
  const sequence = fixture.sequence();
  t.strictSame(fixture.write('patch-flag', request).changes, []);
  t.equal(fixture.sequence(), sequence);
});

t.test('a create is stored with its labels and one audit entry, a dry run with nothing', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const { token, authorization } = fixture.addToken(project);
  const body = { name: ' new flag ', description: 'd', tags: ['t'] };
  const tried = fixture.write('create-flag', { authorization, body, query: 'dryRun=true' });
  t.match(tried, { status: 201, changes: [], entityTag: null });
  const { body: created, changes } = fixture.write('create-flag', { authorization, body });
  const stored = fixture.query((queries) => queries.flag(created.id));
  t.match(stored, { name: 'new flag', description: 'd', tags: ['t'], revision: 1 });
  t.match(auditOf(changes), [
    {
      action: 'flag.create',
      actor: { kind: 'token', id: token.id, name: 'ci' },
      targetId: created.id,
      targetName: 'new flag',
      environment: null,
      requestId: 'request-1',
    },
  ]);
});

t.test('each refusal of a token is a denial, by its cause, mailed once in 24 hours', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project);
  const limited = { environments: ['staging'] };
  const environments = { production: { enabled: true } };
  const patch = { flagId: flag.id, query: 'env=production', body: { enabled: true } };
  const refusals = [
    ['patch-flag', { revokedAt: startedAt - 1 }, patch, 'token-revoked', 'production'],
    ['patch-flag', { expiresAt: startedAt }, patch, 'token-expired', 'production'],
    ['patch-flag', { permission: 'read' }, patch, 'insufficient-permission', 'production'],
    ['patch-flag', limited, patch, 'environment-not-permitted', 'production'],
    ['create-flag', limited, { body: { name: 'x', environments } }, 'create-forbidden', 'production'],
    ['create-flag', { permission: 'read' }, { query: 'dryRun=true' }, 'insufficient-permission', null],
  ] as const;
  for (const [route, changed, request, reason, environment] of refusals) {
    const { token, authorization } = fixture.addToken(project, changed);
    const refuse = () => fixture.write(route, { authorization, ...request });
    const { changes, isFailedAuthentication, denial } = refuse();
    t.match(changes, [{ kind: 'activity' }, { kind: 'outbox' }, { kind: 'token' }], reason);
    t.match(changes[0], {
      denial: { tokenId: token.id, at: fixture.now, reason, environment, address: '192.0.2.1' },
    });
    t.same([isFailedAuthentication, denial], [false, null], 'it is recorded already');
    const kinds = () => refuse().changes.map(({ kind }) => kind);
    t.same(kinds(), ['activity'], 'not mailed again');
    fixture.now += day;
    t.same(kinds(), ['activity', 'outbox', 'token'], 'after 24 hours');
    fixture.now = startedAt;
  }
  t.notOk(fixture.query((queries) => queries.flag(flag.id))?.states.has(1), 'production is as it was');
});

t.test('a reader answers the refusal of a token, and leaves the denial to the writer', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project);
  const { token, authorization } = fixture.addToken(project, { environments: ['staging'] });
  const refused = fixture.read('read-flag', { authorization, flagId: flag.id, query: 'env=production' });
  t.strictSame(refused.denial, {
    tokenId: token.id,
    at: startedAt,
    reason: 'environment-not-permitted',
    route: 'GET /api/v1/flags/{id}',
    environment: 'production',
    address: '192.0.2.1',
    flagId: flag.id,
  });
  const revoked = fixture.addToken(project, { revokedAt: startedAt });
  const { denial } = fixture.read(null, { authorization: revoked.authorization });
  t.match(denial, { reason: 'token-revoked', route: 'unknown endpoint' });
});

t.test('a token, and a trial, end in their millisecond', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const expired = fixture.addToken(project, { expiresAt: startedAt });
  const { authorization } = fixture.addToken(project);
  const status = (header: string) =>
    fixture.write('patch-flag', { authorization: header, flagId: 'x', body: { enabled: true } }).status;
  t.equal(status(expired.authorization), 401);
  fixture.now = startedAt - 1;
  t.equal(status(expired.authorization), 404);
  fixture.now = startedAt;
  const before = fixture.organisation;
  const setPlan = (changed: object) =>
    fixture.apply([{ kind: 'organisation', before, after: { ...before, ...changed } }]);
  setPlan({ plan: 'free', trialEndsAt: startedAt });
  t.equal(status(authorization), 402);
  setPlan({ plan: 'free', trialEndsAt: startedAt + 1 });
  t.equal(status(authorization), 404);
});

t.test('a patch drops the states of deleted environments; the audit log names none of them', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production']);
  const old = { enabled: true, trafficPercentage: 5, cohortOverride: ['a'], audienceId: null };
  const states = new Map([1, 7].map((number) => [number, old] as const));
  const flag = fixture.addFlag(project, { states });
  const { authorization } = fixture.addToken(project);
  const request = { authorization, flagId: flag.id, query: 'env=production' };
  const stored = () => [...(fixture.query((queries) => queries.flag(flag.id))?.states.keys() ?? [])];
  fixture.write('patch-flag', { ...request, body: { enabled: true } });
  t.same(stored(), [1, 7], 'a patch without a change writes nothing');
  const { changes } = fixture.write('patch-flag', { ...request, body: { enabled: false } });
  t.same(stored(), [1]);
  t.match(auditOf(changes), [{ changes: [{ field: 'enabled', before: true, after: false }] }]);
});
