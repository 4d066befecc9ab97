import t from 'tap';
import { Value } from 'typebox/value';
import type { AuditEntryView } from '../../src/contracts/console/audit-views.ts';
import { sessionRowSchema, sessionViewSchema } from '../../src/contracts/console/session-views.ts';
import { hashesAtOnce } from '../../src/front/password-queue.ts';
import { checkStore } from '../../src/storage/check.ts';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { ConsoleClient } from './console-client.ts';
import { bootConsole, password, person, signInAs } from './console-fixture.ts';

t.setTimeout(240_000);

t.test('a member signs in with email and password, and out again', async (t) => {
  const server = await bootConsole(t);
  const client = new ConsoleClient(t, { port: server.port });
  const stranger = await client.send('GET', '/session');
  t.strictSame(stranger.json, { isSignedIn: false, openIdName: null, hasMembers: true });
  const answer = await client.send('POST', '/session', { email: 'OWNER@acme.example', password });
  t.equal(answer.status, 200);
  t.strictSame(answer.json, { choices: [] });
  const cookie = answer.header('set-cookie') ?? '';
  t.match(
    cookie,
    /^burgee_session=[0-9A-Za-z]{49}; Max-Age=1209600; Path=\/console; HttpOnly; SameSite=Lax$/,
  );
  const secret = client.cookies.get('burgee_session') ?? '';
  t.notMatch(answer.text, secret, 'the secret is only in the cookie');

  const session = await client.send('GET', '/session');
  t.ok(Value.Check(sessionViewSchema, session.json), session.text);
  t.match(session.json, { isSignedIn: true, member: { email: 'owner@acme.example', role: 'owner' } });
  t.match(session.json, { organisation: { name: 'acme', isEligible: true }, isMailConfigured: false });
  t.notMatch(session.text, /argon2/);
  const { sessions } = (await client.send('GET', '/sessions')).json;
  t.equal(sessions.length, 1);
  t.ok(Value.Check(sessionRowSchema, sessions[0]));
  t.match(sessions[0], { id: session.json.sessionId, isCurrent: true, address: '127.0.0.1' });

  t.equal((await client.send('DELETE', '/session')).status, 204);
  t.equal(client.cookies.size, 0, 'the cookie is removed');
  client.cookies.set('burgee_session', secret);
  t.equal((await client.send('GET', '/sessions')).status, 401, 'and is not valid any more');
  t.equal((await client.send('GET', '/session')).json.isSignedIn, false);
  await server.stop();
  t.strictSame([...checkStore(server.dataDir)], []);
  const log = server.lines.join('\n');
  for (const hidden of [secret, password]) t.notMatch(log, hidden, 'no secret in the log');
});

t.test('signing in again rotates the session; others are listed and can be ended', async (t) => {
  const server = await bootConsole(t);
  const first = await signInAs(t, server, 'editor@acme.example');
  const secret = first.cookies.get('burgee_session') ?? '';
  await first.send('POST', '/session', { email: 'editor@acme.example', password });
  t.not(first.cookies.get('burgee_session'), secret);
  const thief = new ConsoleClient(t, { port: server.port });
  thief.cookies.set('burgee_session', secret);
  t.equal((await thief.send('GET', '/sessions')).status, 401, 'the session that was presented has ended');

  const second = await signInAs(t, server, 'editor@acme.example');
  const stranger = await signInAs(t, server, 'viewer@acme.example');
  const { sessions } = (await second.send('GET', '/sessions')).json;
  t.equal(sessions.length, 2);
  const other = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
  t.equal((await stranger.send('DELETE', `/sessions/${other.id}`)).status, 404, 'nobody else’s');
  t.equal((await second.send('DELETE', `/sessions/${other.id}`)).status, 204);
  t.equal((await second.send('DELETE', `/sessions/${other.id}`)).status, 404);
  t.equal((await first.send('GET', '/sessions')).status, 401);
  t.equal((await second.send('GET', '/sessions')).status, 200);
});

t.test('wrong passwords and unknown emails get the same answer, and are limited', async (t) => {
  const server = await bootConsole(t);
  const client = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.9' });
  const wrong = await client.send('POST', '/session', { email: 'owner@acme.example', password: 'not this' });
  const unknown = await client.send('POST', '/session', { email: 'nobody@acme.example', password });
  t.equal(wrong.status, 401);
  t.strictSame(wrong.json, unknown.json);
  t.equal(wrong.header('set-cookie'), undefined);
  const right = { email: 'owner@acme.example', password };
  for (let round = 0; round < 12; round += 1) {
    t.equal((await client.send('POST', '/session', right)).status, 200, 'right passwords do not count');
  }
  const statuses: number[] = [];
  const bad = { email: 'Owner@acme.example', password: 'wrong again' };
  for (let round = 0; round < 10; round += 1) {
    statuses.push((await client.send('POST', '/session', bad)).status);
  }
  t.strictSame(statuses, [401, 401, 401, 401, 401, 401, 401, 401, 401, 429]);
  const elsewhere = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.10' });
  t.equal(
    (await elsewhere.send('POST', '/session', right)).status,
    200,
    'a stranger cannot lock a member out',
  );
  const askedAt = performance.now();
  const limited = await client.send('POST', '/session', right);
  t.ok(performance.now() - askedAt >= 200, 'and learns it after a while: it cannot ask again at once');
  t.equal(limited.status, 429, 'this address cannot try the account any more');
  t.ok(Number(limited.header('retry-after')) > 60);
  t.equal((await signInAs(t, server, 'admin@acme.example')).cookies.size, 1, 'and no other account');
});

t.test('an address is limited over all accounts, and simultaneous attempts count', async (t) => {
  const server = await bootConsole(t, undefined, { BURGEE_IN_FLIGHT_MAX: '1000' });
  const clients = Array.from(
    { length: 60 },
    () => new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.11' }),
  );
  const since = performance.now();
  const refusedAfterMs: number[] = [];
  const answers = await Promise.all(
    clients.map(async (client, index) => {
      const asked = { email: `x${index}@acme.example`, password: 'guess' };
      const answer = await client.send('POST', '/session', asked);
      if (answer.status === 503) refusedAfterMs.push(performance.now() - since);
      return answer;
    }),
  );
  const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
  t.ok(count(401) >= hashesAtOnce, 'attempts with a place are answered');
  t.ok(count(401) <= 50, 'fifty in a window');
  t.equal(count(401) + count(503) + count(429), 60, 'and attempts that wait too long are refused');
  t.ok(refusedAfterMs.length > 0, 'there is not a place for each');
  t.ok(Math.min(...refusedAfterMs) >= 990, 'a refusal for want of a place is told late');
  t.match(answers.find(({ status }) => status === 503)?.json ?? { detail: 'Retry' }, { detail: /Retry/ });
  const [client] = clients;
  let wrong = count(401);
  for (let index = wrong; index <= 50; index += 1) {
    const email = `y${index}@acme.example`;
    const answer = await client?.send('POST', '/session', { email, password: 'guess' });
    t.equal(answer?.status, index < 50 ? 401 : 429, 'unchecked attempts have not counted');
    if (answer?.status === 401) wrong += 1;
  }
  t.equal(wrong, 50);
});

t.test('the present password can be guessed ten times at most, and a right one does not count', async (t) => {
  const server = await bootConsole(t);
  const client = await signInAs(t, server, 'editor@acme.example');
  const change = async (current: string) =>
    (await client.send('POST', '/password', { current, password })).status;
  t.equal(await change(password), 204);
  const guesses: number[] = [];
  for (let index = 0; index < 11; index += 1) guesses.push(await change('guess'));
  t.strictSame(guesses, [...Array.from({ length: 10 }, () => 400), 429]);
});

t.test('one email in two organisations chooses between them', async (t) => {
  const same = { name: 'Both', email: 'both@example.test', role: 'viewer' };
  const names = ['one', 'two'];
  const server = await bootConsole(t, {
    organisations: names.map((name) => ({
      name,
      plan: 'teams',
      members: [{ ...same, password }, person('owner', name)],
    })),
  });
  const client = new ConsoleClient(t, { port: server.port });
  const asked = await client.send('POST', '/session', { email: same.email, password });
  const { choices } = asked.json as { choices: { memberId: string; organisationName: string }[] };
  t.strictSame(choices.map(({ organisationName }) => organisationName).sort(), names);
  t.equal(client.cookies.size, 0, 'no session before the choice');
  const two = choices.find(({ organisationName }) => organisationName === 'two');
  const chosen = { email: same.email, password, memberId: two?.memberId };
  t.equal((await client.send('POST', '/session', chosen)).status, 200);
  t.equal((await client.send('GET', '/session')).json.organisation.name, 'two');
  const foreign = { ...chosen, password: 'wrong', memberId: two?.memberId };
  t.equal((await client.send('POST', '/session', foreign)).status, 401);
});

t.test('a new password ends the other sessions, and the old one does not work any more', async (t) => {
  const server = await bootConsole(t);
  const email = 'viewer@acme.example';
  const [here, there] = [await signInAs(t, server, email), await signInAs(t, server, email)];
  const change = (body: unknown) => here.send('POST', '/password', body);
  t.match((await change({ current: password, password: 'x'.repeat(11) })).json.detail, /12 to 1024/);
  t.match((await change({ current: password, password: 'x'.repeat(1025) })).json.detail, /12 to 1024/);
  t.match((await change({ current: 'wrong', password: 'x'.repeat(12) })).json.detail, /current password/);
  t.match((await change({ password: 'x'.repeat(12) })).json.detail, /current password/);
  t.equal(
    (await change({ current: password, password: '😀'.repeat(12) })).status,
    204,
    'characters, not bytes',
  );
  t.equal((await here.send('GET', '/sessions')).status, 200);
  t.equal((await there.send('GET', '/sessions')).status, 401);
  await t.rejects(signInAs(t, server, email), /Wrong email or password/);
  await signInAs(t, server, email, '😀'.repeat(12));
  const owner = await signInAs(t, server, 'owner@acme.example');
  const { entries } = (await owner.send('GET', '/audit?action=member.edit')).json;
  t.match(entries[0], {
    action: 'member.edit',
    actor: { kind: 'member', name: 'viewer of acme' },
    changes: [{ field: 'password', before: null, after: 'set' }],
  });
});

t.test('the log has sign-ins, sign-outs and failures of members, and nothing of other emails', async (t) => {
  const server = await bootConsole(t);
  const [email, ownerEmail] = ['viewer@acme.example', 'owner@acme.example'];
  const viewer = await signInAs(t, server, email);
  const elsewhere = await signInAs(t, server, email);
  const { sessions } = (await viewer.send('GET', '/sessions')).json;
  const other = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
  t.equal((await viewer.send('DELETE', `/sessions/${other.id}`)).status, 204);
  t.equal((await viewer.send('DELETE', '/session')).status, 204);
  t.equal((await elsewhere.send('GET', '/sessions')).status, 401);
  const attacker = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.9' });
  for (const wrong of [email, 'unknown@acme.example', email, email]) {
    t.equal((await attacker.send('POST', '/session', { email: wrong, password: 'guess' })).status, 401);
  }
  const owner = await signInAs(t, server, ownerEmail);
  const logged = async (client: ConsoleClient) => {
    const { entries } = (await client.send('GET', '/audit')).json;
    return entries
      .filter(({ action }: { action: string }) => action.startsWith('session.'))
      .map(({ action, actor, targetName, address, changes }: AuditEntryView) => [
        ...[action, actor.kind, targetName, address],
        changes.find(({ field }) => field === 'attempts')?.after ?? changes[0]?.field,
      ]);
  };
  const viewerName = 'viewer of acme';
  const failed = (attempts: number) => ['session.refuse', 'anonymous', viewerName, '127.0.0.9', attempts];
  const begun = (name: string) => ['session.begin', 'member', name, '127.0.0.1', 'method'];
  const ended = ['session.end', 'member', viewerName, '127.0.0.1', 'signedInAt'];
  const isFailed = ([action]: unknown[]) => action === 'session.refuse';
  await eventually(async () => (await logged(owner)).some(isFailed), 10_000, 'a failure is recorded');
  const entries = await logged(owner);
  t.strictSame(entries.filter(isFailed), [failed(1)]);
  t.strictSame(
    entries.filter((entry: unknown[]) => !isFailed(entry)),
    [begun('owner of acme'), ended, ended, begun(viewerName), begun(viewerName)],
  );
  await server.stop();
  const again = await bootServer(t, { dataDir: server.dataDir });
  const later = await logged(await signInAs(t, again, ownerEmail));
  t.strictSame(later.filter(isFailed), [failed(2), failed(1)], 'a stop records the count of further ones');
  await again.stop();
  t.strictSame([...checkStore(server.dataDir)], []);
});

t.test(
  'below a path the cookie is sent to that path only, and GET / leads to the console there',
  async (t) => {
    const server = await bootConsole(t, undefined, { BURGEE_BASE_URL: 'https://shared.example/burgee' });
    const client = new ConsoleClient(t, { port: server.port });
    const body = { email: 'owner@acme.example', password };
    const answer = await client.send('POST', '/session', body, { origin: 'https://shared.example' });
    t.match(
      answer.header('set-cookie'),
      /^__Secure-burgee_session=\w+; Max-Age=1209600; Path=\/burgee\/console; HttpOnly; SameSite=Lax; Secure$/,
    );
    t.equal((await client.send('GET', '/sessions')).status, 200);
    const visitor = createHttpClient(t, { port: server.port });
    for (const [path, location] of [
      ['/', '/burgee/console/'],
      ['/docs/', '/burgee/docs'],
    ] as const) {
      t.equal((await visitor.send({ path })).headers.get('location'), location);
    }
  },
);

t.test('behind TLS the cookie is Secure, and only the base URL may make changes', async (t) => {
  const server = await bootConsole(t, undefined, { BURGEE_BASE_URL: 'https://flags.example' });
  const client = new ConsoleClient(t, { port: server.port });
  const body = { email: 'owner@acme.example', password };
  const local = await client.send('POST', '/session', body);
  t.equal(local.status, 403);
  const origin = { origin: 'https://flags.example' };
  const answer = await client.send('POST', '/session', body, origin);
  t.equal(answer.status, 200);
  t.match(
    answer.header('set-cookie'),
    /^__Host-burgee_session=\w+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    'browsers accept this cookie name only from this host',
  );
  const secret = client.cookies.get('__Host-burgee_session') ?? '';
  const planted = new ConsoleClient(t, { port: server.port });
  planted.cookies.set('__Secure-burgee_session', secret);
  t.equal((await planted.send('GET', '/sessions')).status, 401, 'a sibling domain cannot set it');
  t.equal((await client.send('DELETE', '/session', undefined, origin)).status, 204);
});
