import t, { type Test } from 'tap';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { person, signInAs } from '../console/console-fixture.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* A denial becomes one mail, through the booted service and a real mail server, even if a process ends in between. */
t.setTimeout(120_000);

const owner = 'owner@example.test';

async function provisionToken(test: Test) {
  const dataDir = temporaryDirectory(test);
  const project = { name: 'harbour', tokens: [{ name: 'ci', permission: 'read' }] };
  const members = [{ name: 'Owner', email: owner, role: 'owner' }];
  const organisations = [{ name: 'Harbour', plan: 'enterprise', members, projects: [project] }];
  const provisioned = await provision(dataDir, temporaryDirectory(test), { organisations });
  return { dataDir, secret: tokenOf(projectOf(provisioned, 'harbour'), 'ci').secret };
}

function boot(test: Test, dataDir: string, mail: MailServer | null): Promise<BootedServer> {
  const settings = mail === null ? {} : { BURGEE_SMTP_URL: mail.url };
  return bootServer(test, { dataDir, settings });
}

/** A write with a read token. */
async function deny(test: Test, { port }: BootedServer, secret: string): Promise<void> {
  const client = createHttpClient(test, { port });
  const request = { method: 'POST', path: '/api/v1/flags', headers: bearer(secret), body: '{}' };
  test.equal((await client.send(request)).status, 403);
}

function waiting(test: Test, directory: string): number {
  const reader = openStoreReader({ directory, mapBytes: 2 ** 30 });
  test.teardown(() => reader.close());
  return [...reader.queries.outboxAfter(0)].length;
}

t.test('a denial is mailed once, and further ones within 24 hours are not', async (test) => {
  const mail = await startMailServer(test);
  const { dataDir, secret } = await provisionToken(test);
  const server = await boot(test, dataDir, mail);
  for (let round = 0; round < 3; round += 1) await deny(test, server, secret);
  await mail.received(1);
  await deny(test, server, secret);
  await server.stop();
  test.equal(mail.offered, 1);
  test.strictSame(mail.mails[0]?.to, [owner]);
  test.equal(waiting(test, dataDir), 0);
});

t.test('without a mail server mails wait, and are sent once there is one', async (test) => {
  const mail = await startMailServer(test);
  const { dataDir, secret } = await provisionToken(test);
  const without = await boot(test, dataDir, null);
  await deny(test, without, secret);
  await without.stop();
  test.equal(waiting(test, dataDir), 1);
  const server = await boot(test, dataDir, mail);
  await mail.received(1);
  await server.stop();
  test.equal(waiting(test, dataDir), 0);
});

t.test('kill -9 before the mail server has accepted: the next process sends it, once', async (test) => {
  const mail = await startMailServer(test);
  const { dataDir, secret } = await provisionToken(test);
  const killed = await boot(test, dataDir, mail);
  mail.judgeMessage = () => killed.ended.then(() => ({ code: 451, text: 'the client is gone' }));
  await deny(test, killed, secret);
  await mail.wasOffered(1);
  killed.signal('SIGKILL');
  await killed.ended;
  mail.judgeMessage = () => null;
  const server = await boot(test, dataDir, mail);
  await mail.received(1);
  await server.stop();
  test.equal(mail.mails.length, 1);
  test.equal(waiting(test, dataDir), 0);
});

t.test('kill -9 between acceptance and its recording: both mails have the same Message-ID', async (test) => {
  const mail = await startMailServer(test);
  const { dataDir, secret } = await provisionToken(test);
  const killed = await boot(test, dataDir, mail);
  mail.judgeMessage = () => {
    killed.signal('SIGKILL');
    return killed.ended.then(() => null);
  };
  await deny(test, killed, secret);
  await mail.received(1);
  mail.judgeMessage = () => null;
  const server = await boot(test, dataDir, mail);
  await mail.received(2);
  await server.stop();
  const ids = mail.mails.map(({ headers }) => new Map(headers).get('message-id'));
  test.equal(ids.length, 2);
  test.equal(new Set(ids).size, 1);
  test.equal(waiting(test, dataDir), 0);
});

t.test('the password of the mail server is in no log line and no printed setting', async (test) => {
  const mail = await startMailServer(test);
  const { dataDir, secret } = await provisionToken(test);
  const url = mail.url.replace('smtp://', 'smtp://user:sesame-street@');
  const server = await bootServer(test, {
    dataDir,
    settings: { BURGEE_SMTP_URL: url, BURGEE_LOG_LEVEL: 'trace' },
  });
  await deny(test, server, secret);
  await server.line((line) => line.includes('a mail was not sent'));
  await server.stop();
  test.notMatch(server.lines.join('\n'), 'sesame');
});

t.test('Admins see how many mails were given up and why, only for their own organisation', async (test) => {
  const mail = await startMailServer(test);
  mail.judgeMessage = () => ({ code: 550, text: 'this sender is not welcome here' });
  const dataDir = temporaryDirectory(test);
  const organisations = ['acme', 'other'].map((name) => ({
    name,
    plan: 'enterprise',
    members: [person('owner', name), person('editor', name)],
    projects: [{ name: `shop of ${name}`, tokens: [{ name: 'ci', permission: 'read' }] }],
  }));
  const provisioned = await provision(dataDir, temporaryDirectory(test), { organisations });
  const secret = (name: string) => tokenOf(projectOf(provisioned, `shop of ${name}`), 'ci').secret;
  const without = await boot(test, dataDir, null);
  const early = await signInAs(test, without, 'owner@acme.example');
  await deny(test, without, secret('acme'));
  const nothing = { waitingFault: null, failed: 0, lastFailure: null };
  test.strictSame((await early.send('GET', '/mail')).json, { waiting: 1, ...nothing });
  await without.stop();

  const server = await boot(test, dataDir, mail);
  await server.line((line) => line.includes('a mail was not sent'));
  const owner = await signInAs(test, server, 'owner@acme.example');
  const seen = (await owner.send('GET', '/mail')).json;
  test.match(seen, { waiting: 0, waitingFault: null, failed: 1 });
  test.match(seen.lastFailure.fault, /550 this sender is not welcome here/);
  test.ok(Math.abs(seen.lastFailure.at - Date.now()) < 60_000);
  const other = await signInAs(test, server, 'owner@other.example');
  test.strictSame((await other.send('GET', '/mail')).json, { waiting: 0, ...nothing });
  const editor = await signInAs(test, server, 'editor@acme.example');
  test.equal((await editor.send('GET', '/mail')).status, 403);
  await server.stop();
});
