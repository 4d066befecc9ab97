import t from 'tap';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { docsUrl, openFixture, startedAt } from './management-fixture.ts';

function auditOf(changes: readonly RecordChange[]) {
  return changes.flatMap((change) => (change.kind === 'audit' ? [change.entry] : []));
}

t.test('a patch of a single-environment flag answers the changed flag, flat', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project);
  const { token, authorization } = fixture.addToken(project);
  fixture.now = startedAt + 5;
  const body = { enabled: true, trafficPercentage: 50, cohorts: ['a'] };
  const answer = fixture.write('patch-flag', { authorization, flagId: flag.id, body });
  t.equal(answer.status, 200);
  t.equal(
    answer.text,
    `{"changed":true,"flag":{"id":"${flag.id}","name":"checkout","kind":"flag","updatedAt":${startedAt + 5},"enabled":true,"trafficPercentage":50,"cohorts":["a"],"audienceId":null}}`,
  );
  t.equal(answer.tokenId, token.id);
  const stored = fixture.query((queries) => queries.flag(flag.id));
  t.match(stored, { updatedAt: startedAt + 5, revision: 2 });
  t.same(fixture.read('read-flag', { authorization, flagId: flag.id }).body, answer.body.flag);
});

t.test('a flag with a name that new flags cannot have is found and patched', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project, { name: 'a\u2028b\u202e' });
  const { authorization } = fixture.addToken(project);
  const patched = fixture.write('patch-flag', { authorization, flagId: flag.id, body: { enabled: true } });
  t.match(patched.body, { changed: true, flag: { name: flag.name, enabled: true } });
  const query = `name=${encodeURIComponent(flag.name)}`;
  t.match(fixture.read('list-flags', { authorization, query }).body, { flags: [{ id: flag.id }] });
});

t.test('a change is stored with one audit entry, a repeated patch with nothing', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['staging']);
  const flag = fixture.addFlag(project);
  const { token, authorization } = fixture.addToken(project);
  const request = { authorization, flagId: flag.id, query: 'env=staging', body: { enabled: true } };
  const first = fixture.write('patch-flag', request);
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
  t.equal(first.changes.length, 2);
  t.match(first.body, { changed: true, flag: { enabled: true, environment: 'staging', kind: 'groupflag' } });

  const sequence = fixture.sequence();
  const second = fixture.write('patch-flag', request);
  t.strictSame(second.changes, []);
  t.equal(fixture.sequence(), sequence);
  t.strictSame(second.body, { changed: false, flag: first.body.flag });
});

t.test('an audience of the project can be attached and detached; any other does not exist', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project);
  const audience = fixture.addAudience(project);
  const foreign = fixture.addAudience(fixture.addProject(null));
  const { authorization } = fixture.addToken(project);
  const patch = (audienceId: string | null) =>
    fixture.write('patch-flag', { authorization, flagId: flag.id, body: { audienceId } });
  t.match(patch(audience.id).body, { changed: true, flag: { audienceId: audience.id } });
  t.match(patch(null).body, { changed: true, flag: { audienceId: null } });
  t.equal(patch(foreign.id).body.detail, `Audience "${foreign.id}" does not exist on this project.`);
  for (const id of ['', '__proto__', '\u0000', 'x'.repeat(100_000)]) {
    t.match(patch(id), { status: 400, body: { error: 'Invalid request' } });
  }
});

t.test('problems of the query come before those of the body, in one answer', async (t) => {
  const fixture = openFixture(t);
  const group = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(group);
  const { authorization } = fixture.addToken(group);
  const patch = (query: string, body: unknown) =>
    fixture.write('patch-flag', { authorization, flagId: flag.id, query, body });
  const refused = patch('x=%zz', { enabled: null });
  t.equal(refused.status, 400);
  t.equal(refused.body.docs, `${docsUrl}#invalid-request`);
  t.match(
    refused.body.detail,
    /^query parameter "x" .*; add the query parameter "env".*; "enabled" cannot be null$/,
  );
  t.strictSame(refused.changes, []);
  t.match(patch('', { enabled: true }).body.detail, /^add the query parameter "env": .*production, staging/);
  t.match(
    patch('env=nope', { enabled: true }).body.detail,
    /^unknown environment "nope".*production, staging/,
  );
  t.match(
    patch('env=staging', {}).body.detail,
    /^no fields to update: .*enabled, trafficPercentage, cohorts, audienceId$/,
  );
  t.match(patch('env=staging', undefined).body.detail, /^no fields to update/);

  const single = fixture.addProject(null);
  const singleFlag = fixture.addFlag(single);
  const other = fixture.addToken(single);
  const { body } = fixture.write('patch-flag', {
    authorization: other.authorization,
    flagId: singleFlag.id,
    query: 'env=staging',
    body: { enabled: true },
  });
  t.match(body.detail, /^drop the query parameter "env"/);
});

t.test('an unknown flag and another project\u2019s get the same answer, before other problems', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const { authorization } = fixture.addToken(project);
  const foreign = fixture.addFlag(fixture.addProject(['production']));
  const patch = (flagId: string) =>
    fixture.write('patch-flag', { authorization, flagId, query: 'env=%zz', bodyText: '{' });
  const unknown = 'Flag000000000000000X';
  t.equal(patch(foreign.id).text, patch(unknown).text.replace(unknown, foreign.id));
  t.match(patch(foreign.id), {
    status: 404,
    body: { error: 'Not found', detail: 'No flag with that id exists in this project.' },
  });
  for (const id of ['', '__proto__', '\u0000', 'é'.repeat(20), 'x'.repeat(5000)])
    t.equal(patch(id).status, 404);
});

t.test('a body that is too large comes before the flag', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null));
  const answer = fixture.write('patch-flag', { authorization, flagId: 'x', isBodyTooLarge: true });
  t.match(answer, { status: 413, body: { error: 'Payload too large' }, changes: [] });
});

t.test('a limited token changes the environments of its list, and any other env is a denial', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project);
  const { token, authorization } = fixture.addToken(project, { environments: ['staging', 'gone'] });
  const patch = (query: string, bodyText = '{"enabled":true}') =>
    fixture.write('patch-flag', { authorization, flagId: flag.id, query, bodyText });
  t.equal(patch('env=staging').status, 200);
  t.equal(patch('env=gone').status, 400, 'allowed, but no environment');
  for (const query of [
    'env=production',
    'env=nowhere',
    'env=',
    'env=staging&env=production',
    'env=%zz&env=x',
  ]) {
    t.match(patch(query, '{'), { status: 403, body: { error: 'Environment not permitted' } }, query);
  }
  const refused = patch('env=production');
  t.equal(
    refused.body.detail,
    'This token may not use the environment "production". It is limited to: staging, gone.',
  );
  t.strictSame(refused.changes, [
    {
      kind: 'activity',
      denial: {
        tokenId: token.id,
        at: startedAt,
        reason: 'environment-not-permitted',
        route: 'PATCH /api/v1/flags/{id}',
        environment: 'production',
        address: '192.0.2.1',
        flagId: flag.id,
      },
    },
  ]);
  t.equal(refused.denial, null, 'it is recorded already');
  t.match(
    fixture.query((queries) => queries.token(token.id)),
    { denialEmailedAt: startedAt },
  );
  t.notOk(fixture.query((queries) => queries.flag(flag.id))?.states.has(1), 'production is as it was');
});

t.test('a limited token changes nothing in a project without environments', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project);
  const { authorization } = fixture.addToken(project, { environments: ['staging'] });
  const request = { authorization, flagId: flag.id, body: { enabled: true } };
  t.match(fixture.write('patch-flag', request), {
    status: 403,
    body: { error: 'Environment not permitted' },
    changes: [{ kind: 'activity' }, { kind: 'outbox' }, { kind: 'token' }],
  });
});

t.test(
  'a patch drops the states of deleted environments, and the audit log says nothing of them',
  async (t) => {
    const fixture = openFixture(t);
    const project = fixture.addProject(['production']);
    const old = { enabled: true, trafficPercentage: 5, cohortOverride: ['a'], audienceId: null };
    const flag = fixture.addFlag(project, {
      states: new Map([
        [1, old],
        [7, old],
      ]),
    });
    const { authorization } = fixture.addToken(project);
    const request = { authorization, flagId: flag.id, query: 'env=production' };
    fixture.write('patch-flag', { ...request, body: { enabled: true } });
    const states = () => [...(fixture.query((queries) => queries.flag(flag.id))?.states.keys() ?? [])];
    t.same(states(), [1, 7], 'what changes nothing writes nothing');
    const { changes } = fixture.write('patch-flag', { ...request, body: { enabled: false } });
    t.same(states(), [1]);
    t.match(auditOf(changes), [{ changes: [{ field: 'enabled', before: true, after: false }] }]);
  },
);
