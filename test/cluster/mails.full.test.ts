import t, { type Test } from 'tap';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { eventually, within } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries, skip } = findPostgres();
/** A duty moves within this time. */
const moveMsMax = 15_000;

interface Provided {
  readonly mail: MailServer;
  readonly nodes: readonly BootedServer[];
  readonly secret: string;
  readonly otherSecret: string;
}

async function threeNodes(test: Test): Promise<Provided> {
  const directory = temporaryDirectory(test);
  const tokens = [
    { name: 'ci', permission: 'read' },
    { name: 'cd', permission: 'read' },
  ];
  const members = [{ name: 'Owner', email: 'owner@example.test', role: 'owner' }];
  const organisations = [
    { name: 'Harbour', plan: 'enterprise', members, projects: [{ name: 'harbour', tokens }] },
  ];
  const provisioned = await provision(directory, temporaryDirectory(test), { organisations });
  const project = projectOf(provisioned, 'harbour');
  const mail = await startMailServer(test);
  const settings = { BURGEE_SMTP_URL: mail.url };
  const cluster = await createCluster(test, binaries as PostgresBinaries, directory, settings);
  const nodes = [await cluster.boot(directory), await cluster.boot(), await cluster.boot()];
  const [secret, otherSecret] = [tokenOf(project, 'ci').secret, tokenOf(project, 'cd').secret];
  return { mail, nodes, secret, otherSecret };
}

/** A write with a read token. */
async function deny(test: Test, { port }: BootedServer, secret: string): Promise<void> {
  const client = createHttpClient(test, { port });
  const request = { method: 'POST', path: '/api/v1/flags', headers: bearer(secret), body: '{}' };
  test.equal((await client.send(request)).status, 403);
}

const isMailDuty = (line: string): boolean => line.includes('"duty":"mail"');

/** @returns the node that has taken the duty of mails, and the others */
async function holderOf(
  nodes: readonly BootedServer[],
): Promise<readonly [BootedServer, readonly BootedServer[]]> {
  const holder = await Promise.any(nodes.map((node) => node.line(isMailDuty).then(() => node)));
  return [holder, nodes.filter((node) => node !== holder)];
}

t.test(
  'denials on all nodes at once are one mail, which another node sends when its sender dies',
  { skip },
  async (test) => {
    const { mail, nodes, secret, otherSecret } = await threeNodes(test);
    const [holder, others] = await holderOf(nodes);
    await Promise.all(nodes.map((node) => deny(test, node, secret)));
    await within(mail.received(1), moveMsMax, () => 'the mail is sent');
    await Promise.all(nodes.map((node) => deny(test, node, secret)));

    holder.signal('SIGKILL');
    await holder.ended;
    const killedAt = monotonicMs();
    await Promise.all(others.map((node) => deny(test, node, otherSecret)));
    await within(mail.received(2), moveMsMax, () => 'another node sends the next mail');
    test.ok(monotonicMs() - killedAt < moveMsMax);
    const subjects = mail.mails.map(({ headers }) => headers.find(([name]) => name === 'subject')?.[1]);
    test.same(subjects, ['API token ci of harbour was refused', 'API token cd of harbour was refused']);
    for (const node of others) await node.stop();
    test.equal(mail.offered, 2);
  },
);

t.test('a mail whose sender dies while it is sent is not sent again', { skip }, async (test) => {
  const { mail, nodes, secret, otherSecret } = await threeNodes(test);
  const [holder, others] = await holderOf(nodes);
  mail.judgeMessage = () => holder.ended.then(() => null);
  await deny(test, holder, secret);
  await mail.wasOffered(1);
  holder.signal('SIGKILL');
  await mail.received(1);
  mail.judgeMessage = () => null;
  // The next one comes behind it in the outbox: when it arrives the first was passed over.
  await Promise.all(others.map((node) => deny(test, node, otherSecret)));
  await within(mail.received(2), moveMsMax, () => 'another node sends the next mail');
  for (const node of others) await node.stop();
  test.equal(mail.offered, 2, 'nobody has sent the first one again');
});

t.test(
  'a node that stood still does not send what another one has sent meanwhile',
  { skip },
  async (test) => {
    const { mail, nodes, secret } = await threeNodes(test);
    const [holder, [other]] = (await holderOf(nodes)) as [BootedServer, [BootedServer, BootedServer]];
    holder.signal('SIGSTOP');
    await deny(test, other, secret);
    await within(mail.received(1), moveMsMax, () => 'another node sends the mail');
    holder.signal('SIGCONT');
    const client = createHttpClient(test, { port: holder.port });
    const request = { method: 'POST', path: '/api/v1/flags', headers: bearer(secret), body: '{}' };
    await eventually(async () => (await client.send(request)).status === 403, 20_000, 'the node is back');
    for (const node of nodes) await node.stop();
    test.equal(mail.offered, 1);
  },
);
