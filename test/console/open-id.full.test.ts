import t from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { freePort } from '../support/free-port.ts';
import { clientSecret, startOpenIdProvider } from '../support/open-id-provider.ts';
import { ProviderVisitor } from '../support/provider-visitor.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';
import { password, secretIn, signInAs } from './console-fixture.ts';
import {
  baseUrl,
  bootWithProvider,
  comeBack,
  people,
  redirectUrl,
  refusalIn,
  settingsOf,
  signInByOpenId,
  startAt,
} from './open-id-steps.ts';

t.setTimeout(600_000);

t.test('members sign in with their accounts at the provider', async (t) => {
  const { provider, server } = await bootWithProvider(t);
  const secrets: string[] = [clientSecret];

  await t.test('a verified email joins the account at the provider to its member permanently', async (t) => {
    const client = new ConsoleClient(t, { port: server.port });
    t.equal((await client.send('GET', '/session')).json.openIdName, 'Acme Login');
    const started = await client.send('POST', '/openid/start', { back: '/console/projects?x=1#y' });
    t.equal(started.status, 200, started.text);
    t.match(
      started.header('set-cookie'),
      /^burgee_openid_\w{8}=[\w-]{100,200}; Max-Age=600; Path=\/console\/api\/openid\/callback; HttpOnly; SameSite=Lax$/,
    );
    const url = new URL(started.json.url);
    t.equal(url.origin, provider.issuer);
    t.equal(url.searchParams.get('redirect_uri'), redirectUrl, 'from the base URL, not from the Host header');
    t.match(Object.fromEntries(url.searchParams), {
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: /^[\w-]{43}$/,
      state: /^[0-9A-Za-z]{49}$/,
      nonce: /^[\w-]{43}$/,
    });
    const address = await new ProviderVisitor().signIn(url.href, 'ada');
    t.ok(address.startsWith(`${redirectUrl}?`), address);
    const entered = await comeBack(client, address);
    t.equal(entered.status, 303, entered.text);
    t.equal(entered.header('location'), '/console/projects?x=1#y');
    t.equal(entered.header('referrer-policy'), 'no-referrer');
    t.strictSame([...client.cookies.keys()], ['burgee_session'], 'the cookie of the sign-in is gone');
    const session = (await client.send('GET', '/session')).json;
    t.match(session.member, { email: 'owner@acme.example', hasIdentity: true, hasPassword: true });

    const again = new ConsoleClient(t, { port: server.port });
    t.equal((await signInByOpenId(again, 'ada')).header('location'), '/console/');
    t.equal((await again.send('GET', '/session')).json.member.id, session.member.id, 'the same subject');
    const { entries } = (await again.send('GET', '/audit')).json;
    const joined = entries.filter(({ changes }: { changes: { field: string }[] }) =>
      changes.some(({ field }) => field === 'openIdAccount'),
    );
    t.equal(joined.length, 1, 'joining is in the audit log once');
    const begun = entries.filter(({ action }: { action: string }) => action === 'session.begin');
    t.match(begun, [{ changes: [{ field: 'method', after: 'openid' }] }, { targetName: 'owner of acme' }]);
    t.match(joined[0], {
      action: 'member.edit',
      actor: { name: 'owner of acme' },
      changes: [{ field: 'openIdAccount', before: null, after: `ada at ${provider.issuer}` }],
    });
    secrets.push(new URL(address).searchParams.get('code') ?? '', url.searchParams.get('state') ?? '');
  });

  await t.test('signing in rotates the session that the browser had', async (t) => {
    const client = await signInAs(t, server, 'viewer@acme.example');
    const former = client.cookies.get('burgee_session') ?? '';
    await signInByOpenId(client, 'ada');
    t.not(client.cookies.get('burgee_session'), former);
    t.equal((await client.send('GET', '/session')).json.member.email, 'owner@acme.example');
    const thief = new ConsoleClient(t, { port: server.port });
    thief.cookies.set('burgee_session', former);
    t.equal((await thief.send('GET', '/sessions')).status, 401);
  });

  await t.test('an unverified email joins no member, and an invitation does', async (t) => {
    const client = new ConsoleClient(t, { port: server.port });
    const refused = await signInByOpenId(client, 'bob', { back: '/console/members' });
    t.equal(refused.status, 303);
    t.equal(
      refused.header('location'),
      '/console/sign-in?openid=email-not-verified&back=%2Fconsole%2Fmembers',
    );
    t.equal(client.cookies.size, 0);
    t.equal(refusalIn(await signInByOpenId(client, 'nameless')), 'email-not-verified');
    t.equal(refusalIn(await signInByOpenId(client, 'stranger')), 'not-a-member');

    const admin = await signInAs(t, server, 'admin@acme.example');
    const invited = await admin.send('POST', '/invitations', { email: 'bobby@acme.example', role: 'editor' });
    const secret = secretIn(invited.json.url);
    const url = await startAt(client, { linkSecret: secret });
    t.notOk(url.includes(secret), 'the provider never sees the link');
    const address = await new ProviderVisitor().signIn(url, 'bob');
    t.notOk(address.includes(secret));
    t.equal((await comeBack(client, address)).header('location'), '/console/');
    t.match((await client.send('GET', '/session')).json.member, {
      ...{ name: 'Bob at the provider', email: 'bobby@acme.example', role: 'editor' },
      ...{ hasIdentity: true, hasPassword: false },
    });
    t.equal((await client.send('POST', '/link', { secret })).status, 410, 'the invitation is used up');
    const again = new ConsoleClient(t, { port: server.port });
    await signInByOpenId(again, 'bob');
    t.equal((await again.send('GET', '/session')).json.member.email, 'bobby@acme.example');

    const second = await admin.send('POST', '/invitations', { email: 'third@acme.example', role: 'viewer' });
    const linkSecret = secretIn(second.json.url);
    const stranger = new ConsoleClient(t, { port: server.port });
    t.equal(refusalIn(await signInByOpenId(stranger, 'bob', { linkSecret })), 'account-taken');
    t.equal(
      (await stranger.send('POST', '/link', { secret: linkSecret })).status,
      200,
      'and the sign-in link is not',
    );
    const over = await stranger.send('POST', '/openid/start', { linkSecret: secret });
    t.equal(over.status, 410, 'an expired link is reported before the redirect');
    secrets.push(secret, linkSecret);
  });

  await t.test('a state is valid once, in its own browser, and with its own values', async (t) => {
    const client = new ConsoleClient(t, { port: server.port });
    const [first, second] = [await startAt(client), await startAt(client)];
    const addresses = [
      await new ProviderVisitor().signIn(first, 'ada'),
      await new ProviderVisitor().signIn(second, 'ada'),
    ];
    const [one = '', two = ''] = addresses;
    const other = new ConsoleClient(t, { port: server.port });
    t.equal(refusalIn(await comeBack(other, one)), 'expired', 'another browser');
    await startAt(other);
    t.equal(refusalIn(await comeBack(other, one)), 'expired', 'with a sign-in of its own');
    const cookies = new Map(client.cookies);
    t.equal(
      refusalIn(await comeBack(client, one)),
      null,
      'two windows of one browser do not disturb each other',
    );
    t.equal(refusalIn(await comeBack(client, two)), null);
    for (const [name, value] of cookies) client.cookies.set(name, value);
    t.equal(refusalIn(await comeBack(client, one)), 'expired', 'used');
    t.equal(refusalIn(await comeBack(client, `${redirectUrl}?code=x`)), 'expired', 'no state');
    t.equal(refusalIn(await comeBack(client, `${redirectUrl}?code=x&state=%zz&what=ever`)), 'expired');

    const tampered = async (change: (url: URL) => void, onReturn = (_: URL): void => undefined) => {
      const url = new URL(await startAt(client));
      change(url);
      const back = new URL(await new ProviderVisitor().signIn(url.href, 'ada'));
      onReturn(back);
      return refusalIn(await comeBack(client, back.href));
    };
    const unchanged = (): void => undefined;
    const cases = {
      nonce: await tampered((url) => url.searchParams.set('nonce', 'another')),
      challenge: await tampered((url) => url.searchParams.set('code_challenge', 'x'.repeat(43))),
      code: await tampered(unchanged, (back) => back.searchParams.set('code', 'x'.repeat(43))),
      issuer: await tampered(unchanged, (back) => back.searchParams.set('iss', 'http://127.0.0.1:1')),
      missing: await tampered(unchanged, (back) => back.searchParams.delete('code')),
      twice: await tampered(unchanged, (back) => back.searchParams.append('code', 'another')),
    };
    for (const [what, refusal] of Object.entries(cases)) t.equal(refusal, 'provider-failed', what);

    const cancelled = await new ProviderVisitor().cancel(await startAt(client));
    t.equal(new URL(cancelled).searchParams.get('error'), 'access_denied');
    t.equal(refusalIn(await comeBack(client, cancelled)), 'denied');
  });

  await t.test('a return that is repeated asks the provider no more often than one may try', async (t) => {
    const client = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.23' });
    const back = new URL(await new ProviderVisitor().signIn(await startAt(client), 'ada'));
    back.searchParams.set('code', 'x'.repeat(43));
    const cookies = new Map(client.cookies);
    const refusals = new Map<string | null, number>();
    for (let turn = 0; turn < 52; turn += 1) {
      for (const [name, value] of cookies) client.cookies.set(name, value);
      const refusal = refusalIn(await comeBack(client, back.href));
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    }
    t.strictSame(
      [...refusals],
      [
        ['provider-failed', 49],
        ['unavailable', 3],
      ],
      'with the beginning, 50',
    );
  });

  await t.test('no request can make the service redirect to another origin', async (t) => {
    const client = new ConsoleClient(t, { port: server.port });
    const places = [
      'https://evil.example/console/',
      '//evil.example/console/',
      '/\\evil.example/console/',
      '/console/../api/v1/token',
      '/console/api/session',
      'javascript:alert(1)',
      'projects',
      `/console/${'x'.repeat(3000)}`,
    ];
    const visitor = new ProviderVisitor();
    for (const back of places) {
      const address = await visitor.signIn(await startAt(client, { back }), 'ada');
      t.equal((await comeBack(client, address)).header('location'), '/console/', back);
    }
    const split = await visitor.signIn(await startAt(client, { back: '/console/\r\nX-Evil: 1' }), 'ada');
    const answer = await comeBack(client, split);
    t.equal(answer.status, 303);
    t.equal(answer.header('x-evil'), undefined);
  });

  await t.test('unfinished sign-ins count as attempts of their address', async (t) => {
    const client = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.21' });
    t.equal(refusalIn(await signInByOpenId(client, 'ada')), null, 'a successful one does not count');
    const statuses: number[] = [];
    for (let round = 0; round < 51; round += 1) {
      statuses.push((await client.send('POST', '/openid/start', {})).status);
    }
    t.equal(statuses.filter((status) => status === 200).length, 50);
    t.equal(statuses.at(-1), 429);
    const credentials = { email: 'owner@acme.example', password };
    t.equal(
      (await client.send('POST', '/session', credentials)).status,
      429,
      'together with those of passwords',
    );
    const elsewhere = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.22' });
    t.equal((await elsewhere.send('POST', '/session', credentials)).status, 200);
  });

  await t.test(
    'another account with the same email is not the member, unless it follows a sign-in link',
    async (t) => {
      const client = new ConsoleClient(t, { port: server.port });
      t.equal(refusalIn(await signInByOpenId(client, 'impostor')), 'other-account');

      const owner = await signInAs(t, server, 'owner@acme.example');
      const { member } = (await owner.send('GET', '/session')).json;
      const command = ['member', 'sign-in-link', 'owner@acme.example', '--data-dir', server.dataDir];
      const link = { linkSecret: secretIn((await runBurgeeOrThrow(command)).trim()) };
      t.equal((await signInByOpenId(client, 'impostor', link)).header('location'), '/console/');
      t.equal((await client.send('GET', '/session')).json.member.id, member.id);
      const former = new ConsoleClient(t, { port: server.port });
      t.equal(refusalIn(await signInByOpenId(former, 'ada')), 'other-account', 'one account for each issuer');
    },
  );

  await server.stop();
  t.strictSame([...checkStore(server.dataDir)], []);
  const log = server.lines.join('\n');
  for (const hidden of secrets) t.notOk(hidden === '' || log.includes(hidden), 'no secret in the log');
  t.notMatch(log, /eyJ[\w-]+\./, 'no token, either');
  t.match(log, /the OpenID provider answers/);
  t.match(log, /unexpected ID Token \\"nonce\\" claim value/, 'the log names the failed check');

  await provider.close();
  const other = await startOpenIdProvider(t, { redirectUrl, people: { impostor: people['stranger'] ?? {} } });
  const moved = await bootServer(t, { dataDir: server.dataDir, settings: settingsOf(other) });
  const newcomer = new ConsoleClient(t, { port: moved.port });
  t.equal(
    refusalIn(await signInByOpenId(newcomer, 'impostor')),
    'not-a-member',
    'a subject belongs to its issuer',
  );
});

t.test('an email of two organisations reveals neither', async (t) => {
  const both = { name: 'Both', email: 'nobody@acme.example', role: 'owner' };
  const organisations = ['one', 'two'].map((name) => ({ name, plan: 'teams', members: [both] }));
  const { server } = await bootWithProvider(t, { organisations });
  const client = new ConsoleClient(t, { port: server.port });
  t.equal(refusalIn(await signInByOpenId(client, 'stranger')), 'several-members');
});

t.test('a provider that is down does not prevent the start, and is contacted again', async (t) => {
  const port = await freePort();
  const settings = settingsOf({ issuer: `http://127.0.0.1:${port}` });
  const server = await bootServer(t, { dataDir: temporaryDirectory(t), settings });
  await server.line((line) => line.includes('does not answer as it should'));
  const client = new ConsoleClient(t, { port: server.port });
  const refused = await client.send('POST', '/openid/start', {});
  t.equal(refused.status, 503);
  t.match(refused.json, { error: 'Service unavailable', detail: /does not answer\..*password/ });
  t.match(refused.header('retry-after'), /^\d+$/);
  t.equal(client.cookies.size, 0);

  const provider = await startOpenIdProvider(t, { redirectUrl, people, port });
  t.equal(refusalIn(await signInByOpenId(client, 'ada')), 'not-a-member', 'sign-in works again, at once');
  const address = await new ProviderVisitor().signIn(await startAt(client), 'ada');
  await provider.close();
  t.equal(
    refusalIn(await comeBack(client, address)),
    'provider-unreachable',
    'the provider fails during a sign-in',
  );

  await startOpenIdProvider(t, { redirectUrl, people, port });
  const line = await server.line((written) => written.includes('/console/link#'));
  const linkSecret = secretIn(line.trim());
  t.equal(refusalIn(await signInByOpenId(client, 'bob', { linkSecret })), 'email-not-verified');
  const named = { linkSecret, organisation: ' Acme ' };
  t.equal((await signInByOpenId(client, 'ada', named)).header('location'), '/console/');
  const { member, organisation } = (await client.send('GET', '/session')).json;
  t.match(member, { name: 'Ada', email: 'Owner@acme.example', role: 'owner' }, 'the first Owner');
  t.equal(organisation.name, 'Acme');
});

t.test('a hanging provider is given up after ten seconds, and when the service stops', async (t) => {
  const provider = await startOpenIdProvider(t, { redirectUrl, people });
  const settings = settingsOf(provider);
  const server = await bootServer(t, { dataDir: temporaryDirectory(t), settings });
  const client = new ConsoleClient(t, { port: server.port });
  const address = await new ProviderVisitor().signIn(await startAt(client), 'ada');
  provider.isStuck = true;
  const startedAt = performance.now();
  t.equal(refusalIn(await comeBack(client, address)), 'provider-unreachable');
  const tookMs = performance.now() - startedAt;
  t.ok(tookMs > 9900 && tookMs < 20_000, `${tookMs} ms`);
  await server.stop();

  const asked = provider.asked.length;
  const second = await bootServer(t, { dataDir: server.dataDir, settings });
  await provider.wasAsked(asked + 1);
  const stoppedAt = performance.now();
  await second.stop();
  t.ok(performance.now() - stoppedAt < 8000, 'the request is given up when the service stops');
});

t.test('the client authenticates as the provider requires, and emails may be in the ID token', async (t) => {
  for (const secretIn of ['client_secret_post', 'none'] as const) {
    const provider = await startOpenIdProvider(t, { redirectUrl, people, secretIn, hasFullIdToken: true });
    const { BURGEE_OPEN_ID_CLIENT_SECRET: secret = '', ...settings } = settingsOf(provider);
    const shown = secretIn === 'none' ? {} : { BURGEE_OPEN_ID_CLIENT_SECRET: secret };
    const server = await bootServer(t, {
      dataDir: temporaryDirectory(t),
      settings: { ...settings, ...shown },
    });
    const client = new ConsoleClient(t, { port: server.port });
    t.equal(refusalIn(await signInByOpenId(client, 'ada')), 'not-a-member', secretIn);
    t.notOk(provider.asked.includes('/me'), 'the user info is requested only if needed');
    await server.stop();
  }
});

t.test('another site cannot begin a sign-in, and behind TLS its cookie is Secure', async (t) => {
  const provider = await startOpenIdProvider(t, { redirectUrl, people });
  const settings = { ...settingsOf(provider), BURGEE_BASE_URL: 'https://flags.example.test' };
  const server = await bootServer(t, { dataDir: temporaryDirectory(t), settings });
  const client = new ConsoleClient(t, { port: server.port });
  t.equal((await client.send('POST', '/openid/start', {})).status, 403);
  const origin = { origin: 'https://flags.example.test' };
  const started = await client.send('POST', '/openid/start', {}, origin);
  t.equal(started.status, 200);
  t.match(started.header('set-cookie'), /^__Secure-burgee_openid_\w{8}=.*; HttpOnly; SameSite=Lax; Secure$/);
  const url = new URL(started.json.url);
  t.equal(url.searchParams.get('redirect_uri'), redirectUrl.replace('http:', 'https:'));
});

t.test('without a provider no sign-in with one can begin', async (t) => {
  const server = await bootServer(t, { dataDir: temporaryDirectory(t) });
  const client = new ConsoleClient(t, { port: server.port });
  const refused = await client.send('POST', '/openid/start', {});
  t.equal(refused.status, 404);
  t.match(refused.json.detail, /open-id-issuer/);
  t.equal(refusalIn(await comeBack(client, `${baseUrl}/console/api/openid/callback?state=x`)), 'expired');
});
