import t from 'tap';
import { openFixture, startedAt } from './management-fixture.ts';

t.test('a flag of a single-environment project is created flat', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const audience = fixture.addAudience(project);
  const { token, authorization } = fixture.addToken(project);
  const body = { name: ' new flag ', description: 'd', tags: ['t'], enabled: true, audienceId: audience.id };
  const answer = fixture.write('create-flag', { authorization, body });
  t.equal(answer.status, 201);
  const { id } = answer.body;
  t.match(id, /^[0-9A-Za-z]{20}$/);
  t.equal(
    answer.text,
    `{"id":"${id}","name":"new flag","kind":"flag","updatedAt":${startedAt},"enabled":true,"trafficPercentage":0,"cohorts":[],"audienceId":"${audience.id}"}`,
  );
  t.match(
    fixture.query((queries) => queries.flag(id)),
    { description: 'd', tags: ['t'], revision: 1 },
  );
  t.match(answer.changes, [
    { kind: 'flag', before: null, environment: null },
    {
      kind: 'audit',
      entry: {
        action: 'flag.create',
        actor: { kind: 'token', id: token.id, name: 'ci' },
        targetId: id,
        targetName: 'new flag',
        environment: null,
        requestId: 'request-1',
      },
    },
  ]);
  t.same(fixture.read('read-flag', { authorization, flagId: id }).body, answer.body);
});

t.test('a project without environments yet shows an empty object', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject([]));
  const answer = fixture.write('create-flag', { authorization, body: { name: 'x', environments: {} } });
  t.match(answer, { status: 201, body: { kind: 'groupflag', environments: {} } });
});

t.test('all problems are in one answer, the query\u2019s first', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(['staging']));
  const create = (query: string, bodyText: string) =>
    fixture.write('create-flag', { authorization, query, bodyText });
  const refused = create('a=%', '{"enabled":true,"x":1,"environments":{"staging":{"audienceId":"no"}}}');
  t.equal(refused.status, 400);
  t.match(
    refused.body.detail,
    /^query parameter "a" cannot.*; enabled is not accepted here: .*; unknown field "x"; environments\.staging\.audienceId: Audience "no" does not exist on this project\.; name is required$/,
  );
  t.strictSame(refused.changes, []);
  t.equal(create('', '').body.detail, 'the request body is empty: a JSON object must be sent');
  t.match(create('', '{"name"}').body.detail, /not valid JSON: "}" is unexpected at line 1, column 8$/);
  t.equal(create('env=staging&env=a+b', '{"name":"x"}').status, 201, 'this route has no parameter env');
});

t.test('a limited token creates flags, but sets no state outside its list', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const { authorization } = fixture.addToken(project, { environments: ['staging'] });
  const create = (body: object) => fixture.write('create-flag', { authorization, body });
  t.equal(create({ name: 'x' }).status, 201);
  t.equal(create({ name: 'x', environments: { staging: { enabled: true } } }).status, 201);
  t.match(create({ environments: { staging: {}, production: {} }, zzz: 1 }), {
    status: 403,
    body: {
      error: 'Forbidden',
      detail: 'This token may not use the environment "production". It is limited to: staging.',
    },
    changes: [
      {
        kind: 'activity',
        denial: { reason: 'create-forbidden', route: 'POST /api/v1/flags', environment: 'production' },
      },
      { kind: 'outbox' },
      { kind: 'token' },
    ],
  });
  t.equal(create({ name: 'x', environments: { nowhere: 1 } }).status, 403, 'whether or not it exists');

  const single = fixture.addProject(null);
  const limited = fixture.addToken(single, { environments: ['staging'] });
  const flat = (body: object) => fixture.write('create-flag', { authorization: limited.authorization, body });
  t.equal(flat({ name: 'x' }).status, 201);
  t.match(flat({ name: 'x', enabled: true }), { status: 403, body: { error: 'Forbidden' } });
});

t.test('a body that is too large is refused before it is read', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null));
  t.equal(fixture.write('create-flag', { authorization, isBodyTooLarge: true }).status, 413);
});
