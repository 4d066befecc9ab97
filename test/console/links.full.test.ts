import t from 'tap';
import { Value } from 'typebox/value';
import { linkViewSchema } from '../../src/contracts/console/member-views.ts';
import { checkStore } from '../../src/storage/check.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';
import { bootConsole, password, secretIn, signInAs } from './console-fixture.ts';

t.setTimeout(240_000);

const linkLine = (line: string): boolean => /\/console\/link#/.test(line);

t.test('the first start prints a link that makes its user the first Owner', async (t) => {
  const dataDir = temporaryDirectory(t);
  const first = await bootServer(t, { dataDir });
  const printed = (await first.line(linkLine)).trim();
  t.match(printed, new RegExp(`^http://127.0.0.1:${first.port}/console/link#[0-9A-Za-z]{49}$`));
  await first.stop();
  t.equal(
    first.lines.filter((line) => line.includes(secretIn(printed))).length,
    1,
    'it is printed once, and in no log line',
  );

  const server = await bootServer(t, { dataDir });
  const url = (await server.line(linkLine)).trim();
  const client = new ConsoleClient(t, { port: server.port });
  const old = await client.send('POST', '/link', { secret: secretIn(printed) });
  t.equal(old.status, 410, 'the link of an earlier start has ended');
  const secret = secretIn(url);
  const seen = await client.send('POST', '/link', { secret });
  t.ok(Value.Check(linkViewSchema, seen.json), seen.text);
  t.match(seen.json, {
    kind: 'first-owner',
    organisationName: 'Default',
    needsName: true,
    needsPassword: true,
    needsOrganisation: true,
  });
  const empty = await client.send('POST', '/link/use', { secret });
  t.equal(empty.status, 400);
  t.match(empty.json.detail, /name must be .*; email must be .*; password must be/);
  const owner = { secret, name: ' Ada ', email: 'ada@example.test', organisation: ' Acme ', password };
  const bad = await client.send('POST', '/link/use', { ...owner, organisation: ' ' });
  t.equal(bad.status, 400);
  t.match(bad.json.detail, /^organisation must be 1 to 200 characters/);
  t.equal(
    (await client.send('GET', `/link/use?secret=${secret}`)).status,
    401,
    'following it by GET does nothing',
  );
  const used = await client.send('POST', '/link/use', owner);
  t.equal(used.status, 200, used.text);
  t.equal((await client.send('GET', '/session')).json.member.name, 'Ada');
  t.equal((await client.send('GET', '/session')).json.member.role, 'owner');
  t.equal((await client.send('GET', '/session')).json.organisation.name, 'Acme');
  const { entries } = (await client.send('GET', '/audit?action=organisation.edit')).json;
  t.match(entries[0], {
    actor: { kind: 'member', name: 'Ada' },
    action: 'organisation.edit',
    targetName: 'Acme',
    changes: [{ field: 'name', before: 'Default', after: 'Acme' }],
  });
  t.equal((await new ConsoleClient(t, { port: server.port }).send('POST', '/link/use', owner)).status, 410);
  await signInAs(t, server, 'ada@example.test');
  await server.stop();
  const third = await bootServer(t, { dataDir });
  await third.stop();
  t.notOk(third.lines.some(linkLine), 'once there is a member, no such link is printed');
  t.strictSame([...checkStore(dataDir)], []);
});

t.test('a sign-in link signs in without a password, and may set one', async (t) => {
  const server = await bootConsole(t);
  const email = 'viewer@acme.example';
  const before = await signInAs(t, server, email);
  const command = ['member', 'sign-in-link', email, '--data-dir', server.dataDir];
  const printed = await runBurgee([...command, '--json']);
  t.equal(printed.code, 0, printed.stderr);
  const { url, member } = JSON.parse(printed.stdout) as { url: string; member: { name: string } };
  t.equal(member.name, 'viewer of acme');
  t.ok(
    url.startsWith(`http://127.0.0.1:${server.port}/console/link#`),
    'the server’s base URL, not the command’s',
  );
  const client = new ConsoleClient(t, { port: server.port });
  const secret = secretIn(url);
  t.match((await client.send('POST', '/link', { secret })).json, { kind: 'sign-in', needsPassword: false });
  t.equal((await client.send('POST', '/link/use', { secret, password: 'short' })).status, 400);
  t.equal((await client.send('POST', '/link/use', { secret })).status, 200);
  t.equal((await client.send('GET', '/session')).json.member.email, email);
  t.equal((await client.send('POST', '/link/use', { secret })).status, 410);
  t.equal((await before.send('GET', '/sessions')).status, 200, 'other sessions stay');

  const second = await runBurgee(command);
  const again = { secret: secretIn(second.stdout.trim()), password: 'a brand new password' };
  t.equal((await client.send('POST', '/link/use', again)).status, 200);
  t.equal((await before.send('GET', '/sessions')).status, 401, 'unless a password is set');
  await signInAs(t, server, email, again.password);
  const log = server.lines.join('\n');
  for (const hidden of [secret, again.secret, again.password]) t.notMatch(log, hidden);
  await server.stop();
  t.strictSame([...checkStore(server.dataDir)], []);
});

t.test('the command for sign-in links names the member that it cannot find', async (t) => {
  const same = { name: 'Both', email: 'both@example.test', role: 'owner' };
  const organisations = ['one', 'two'].map((name) => ({ name, plan: 'teams', members: [same] }));
  const server = await bootConsole(t, { organisations });
  await server.stop();
  const run = (...arguments_: string[]) =>
    runBurgee(['member', 'sign-in-link', ...arguments_, '--data-dir', server.dataDir]);
  t.match((await run('nobody@example.test')).stderr, /No member has the email "nobody@example.test"/);
  t.match((await run('both@example.test')).stderr, /--organisation: (one, two|two, one)/);
  t.match((await run('both@example.test', '--organisation', 'three')).stderr, /organisation "three"/);
  const made = await run('BOTH@example.test', '--organisation', 'two', '--base-url', 'https://flags.example');
  t.match(made.stdout, /^https:\/\/flags\.example\/console\/link#[0-9A-Za-z]{49}\n$/, 'offline too');
});

t.test('a sign-in link shows no organisation to a member without one', async (t) => {
  const owner = 'alone@example.test';
  const organisations = [{ name: 'Acme', plan: 'teams' }];
  const personalProjects = [{ name: 'diary', owner }];
  const server = await bootConsole(t, { organisations, personalProjects });
  const printed = await runBurgee(['member', 'sign-in-link', owner, '--data-dir', server.dataDir]);
  t.equal(printed.code, 0, printed.stderr);
  const client = new ConsoleClient(t, { port: server.port });
  const secret = secretIn(printed.stdout.trim());
  const seen = await client.send('POST', '/link', { secret });
  t.ok(Value.Check(linkViewSchema, seen.json), seen.text);
  t.match(seen.json, { kind: 'sign-in', email: owner, organisationName: null, role: null });
  t.notMatch(seen.text, /Acme/);
  t.equal((await client.send('POST', '/link/use', { secret, password })).status, 200);
  t.equal((await client.send('GET', '/session')).json.member.email, owner);
});
