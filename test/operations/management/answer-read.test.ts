import t from 'tap';
import { openFixture, startedAt } from './management-fixture.ts';

t.test('a token describes itself', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['staging']);
  const { token, authorization } = fixture.addToken(project, { permission: 'read', name: 'pipeline' });
  const answer = fixture.read('read-token', { authorization });
  t.equal(answer.status, 200);
  t.equal(
    answer.text,
    `{"id":"${token.id}","name":"pipeline","project":{"id":"${project.id}","name":"shop"},"permission":"read","environments":[],"expiresAt":0}`,
  );
  const limited = fixture.addToken(project, { environments: ['gone'], expiresAt: startedAt + 1 });
  t.match(fixture.read('read-token', limited).body, { environments: ['gone'], expiresAt: startedAt + 1 });
  t.equal(
    fixture.read('read-token', { authorization, query: 'env=x&env=y' }).status,
    200,
    'unknown parameters',
  );
  t.equal(fixture.read('read-token', { authorization, query: 'a=%' }).status, 400);
});

t.test('a flag is read in the form of its project, flat with env', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project, { cohorts: ['wide'] });
  const { authorization } = fixture.addToken(project, { permission: 'read' });
  const read = (query: string) => fixture.read('read-flag', { authorization, flagId: flag.id, query });
  t.strictSame(Object.keys(read('').body.environments), ['production', 'staging']);
  t.match(read('env=staging').body, { environment: 'staging', cohorts: ['wide'], enabled: false });
  t.notOk('environments' in read('env=staging').body);
  t.match(read('env=Staging'), { status: 400, body: { detail: /production, staging/ } });
  t.match(read('env='), { status: 400, body: { detail: /^unknown environment ""/ } });
  t.equal(read('env=staging&env=staging').status, 400);
  t.equal(read('env=a+b').status, 400);
  t.equal(read('name=a+b&name=c').status, 200, 'this route has no parameter name');

  const single = fixture.addProject(null);
  const singleFlag = fixture.addFlag(single);
  const other = fixture.addToken(single);
  const readSingle = (query: string) => fixture.read('read-flag', { ...other, flagId: singleFlag.id, query });
  t.match(readSingle('env=staging'), { status: 400, body: { detail: /^drop the query parameter "env"/ } });
  t.match(readSingle('').body, { kind: 'flag', enabled: false });
});

t.test('an unknown flag comes before the environment, the environment before other problems', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project);
  const foreign = fixture.addFlag(fixture.addProject(null));
  const { token, authorization } = fixture.addToken(project, { environments: ['staging'] });
  const read = (flagId: string, query: string) => fixture.read('read-flag', { authorization, flagId, query });
  t.match(read(foreign.id, 'env=production'), { status: 404, denial: null });
  const refused = read(flag.id, 'x=%zz&env=production');
  t.match(refused, { status: 403, body: { error: 'Environment not permitted' } });
  t.strictSame(refused.denial, {
    tokenId: token.id,
    at: startedAt,
    reason: 'environment-not-permitted',
    route: 'GET /api/v1/flags/{id}',
    environment: 'production',
    address: '192.0.2.1',
    flagId: flag.id,
  });
  t.equal(read(flag.id, '').status, 200, 'without env a limited token reads all environments');
});

t.test('the list holds every flag by name, then id, and filters by exact name', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  const { authorization } = fixture.addToken(project, { environments: ['staging'] });
  const list = (query = '') => fixture.read('list-flags', { authorization, query });
  t.equal(list().text, '{"flags":[]}');
  const names = ['b', 'a', 'a b', 'a+b', 'a', 'ä', '__proto__'];
  const flags = names.map((name) => fixture.addFlag(project, { name }));
  fixture.addFlag(fixture.addProject(null), { name: 'a' });

  const listed: { id: string; name: string }[] = list().body.flags;
  t.strictSame(
    listed.map(({ name }) => name),
    ['__proto__', 'a', 'a', 'a b', 'a+b', 'b', 'ä'],
  );
  const twice = flags.filter(({ name }) => name === 'a').map(({ id }) => id);
  t.strictSame(
    list('name=a').body.flags.map(({ id }: { id: string }) => id),
    twice.sort(),
  );
  const found = (query: string) => list(query).body.flags?.map(({ name }: { name: string }) => name);
  t.strictSame(found('name=a%20b'), ['a b']);
  t.strictSame(found('name=a%2Bb'), ['a+b']);
  t.strictSame(found('name=%C3%A4'), ['ä']);
  for (const name of ['A', '', 'a%00', '%20a', 'x'.repeat(5000), '%F0%9F%98%80'.repeat(200)]) {
    t.strictSame(list(`name=${name}`).body, { flags: [] }, name.slice(0, 20));
  }
  for (const query of ['name=a+b', 'name=a&name=a', 'name=%ff', 'name=ä']) t.equal(list(query).status, 400);
});

t.test('the list with env is flat, with the checks of a single flag', async (t) => {
  const fixture = openFixture(t);
  const project = fixture.addProject(['production', 'staging']);
  fixture.addFlag(project);
  const { authorization } = fixture.addToken(project, { environments: ['staging'] });
  const list = (query: string) => fixture.read('list-flags', { authorization, query });
  t.match(list('env=staging').body.flags, [{ environment: 'staging', enabled: false }]);
  t.match(list('env=production&name=a+b'), { status: 403, denial: { route: 'GET /api/v1/flags' } });
  t.match(list('').body.flags, [{ environments: { production: {}, staging: {} } }]);

  const single = fixture.addProject(null);
  fixture.addFlag(single);
  const other = fixture.addToken(single);
  t.equal(fixture.read('list-flags', { ...other, query: 'env=x' }).status, 400);
  t.match(fixture.read('list-flags', other).body.flags, [{ kind: 'flag', enabled: false }]);
});

t.test('the reader answers a refused token, and the writer records the denial', async (t) => {
  const fixture = openFixture(t);
  const { token, authorization } = fixture.addToken(fixture.addProject(null), { revokedAt: startedAt });
  const answer = fixture.read('list-flags', { authorization });
  t.match(answer, { status: 401, isFailedAuthentication: false, tokenId: token.id });
  t.match(answer.denial, { reason: 'token-revoked', route: 'GET /api/v1/flags', environment: null });
  t.match(fixture.read(null, { authorization }).denial, { route: 'unknown endpoint' });
});

t.test('an unknown endpoint is a 404 for a valid token, and the reader takes no write', async (t) => {
  const fixture = openFixture(t);
  const { authorization } = fixture.addToken(fixture.addProject(null), { permission: 'read' });
  t.match(fixture.read(null, { authorization }), { status: 404, body: { error: 'Not found' }, denial: null });
  t.match(fixture.read(null, {}), { status: 401, isFailedAuthentication: true });
  t.throws(() => fixture.read('patch-flag', { authorization }), /writer/);
});
