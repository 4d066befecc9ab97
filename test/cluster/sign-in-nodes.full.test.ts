import t from 'tap';
import { ConsoleClient } from '../console/console-client.ts';
import { password, person } from '../console/console-fixture.ts';
import { comeBack, people, redirectUrl, refusalIn, settingsOf, startAt } from '../console/open-id-steps.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { startOpenIdProvider } from '../support/open-id-provider.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { ProviderVisitor } from '../support/provider-visitor.ts';
import { provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries: found, skip } = findPostgres();
const binaries = found as PostgresBinaries;
t.setTimeout(120_000);

/** As it is printed. */
async function linkSecretOf(node: BootedServer): Promise<string> {
  const line = await node.line((text) => text.includes('/console/link#'));
  return /\/console\/link#(\w+)/.exec(line)?.[1] ?? '';
}

t.test(
  "every node takes the first Owner's link of every other one, until there is one",
  { skip },
  async (t) => {
    const directory = temporaryDirectory(t);
    const cluster = await createCluster(t, binaries, directory);
    const [first, second] = [await cluster.boot(directory), await cluster.boot()];
    const [ofFirst, ofSecond] = [await linkSecretOf(first), await linkSecretOf(second)];
    const atFirst = new ConsoleClient(t, { port: first.port });
    const atSecond = new ConsoleClient(t, { port: second.port });
    for (const client of [atFirst, atSecond]) {
      for (const secret of [ofFirst, ofSecond])
        t.match((await client.send('POST', '/link', { secret })).json, { kind: 'first-owner' });
    }
    const owner = { name: 'Ada', email: 'ada@acme.example', password };
    const used = await atSecond.send('POST', '/link/use', { secret: ofFirst, ...owner });
    t.equal(used.status, 200, used.text);
    t.equal((await atSecond.send('GET', '/session')).json.member.role, 'owner');
    for (const client of [atFirst, atSecond]) {
      for (const secret of [ofFirst, ofSecond])
        t.equal((await client.send('POST', '/link', { secret })).status, 410, 'there is an Owner');
    }
    const again = await cluster.boot();
    t.notOk(
      again.lines.some((line) => line.includes('/console/link#')),
      'nobody is offered to be one',
    );
  },
);

t.test('a sign-in at the provider is finished on any node, once', { skip }, async (t) => {
  const provider = await startOpenIdProvider(t, { redirectUrl, people });
  const directory = temporaryDirectory(t);
  const document = { organisations: [{ name: 'acme', plan: 'enterprise', members: [person('owner')] }] };
  await provision(directory, temporaryDirectory(t), document);
  const cluster = await createCluster(t, binaries, directory, settingsOf(provider));
  const [first, second] = [await cluster.boot(directory), await cluster.boot()];
  const atFirst = new ConsoleClient(t, { port: first.port });
  const atSecond = new ConsoleClient(t, { port: second.port });

  const url = await startAt(atFirst, { back: '/console/projects' });
  const sealed = [...atFirst.cookies];
  for (const [name, value] of sealed) atSecond.cookies.set(name, value);
  const address = await new ProviderVisitor().signIn(url, 'ada');
  const entered = await comeBack(atSecond, address);
  t.equal(entered.status, 303, entered.text);
  t.equal(entered.header('location'), '/console/projects');
  t.match((await atSecond.send('GET', '/session')).json, { member: { email: 'owner@acme.example' } });
  t.equal(refusalIn(await comeBack(atFirst, address)), 'expired', 'it was used on another node');

  const other = await startAt(atSecond);
  const [[name = '', value = ''] = []] = [...atSecond.cookies].filter(([key]) => key.includes('openid'));
  const back = await new ProviderVisitor().signIn(other, 'ada');
  atFirst.cookies.set(name, `${value.slice(0, -4)}AAAA`);
  t.equal(refusalIn(await comeBack(atFirst, back)), 'expired', 'nobody changes what is sealed');
  atFirst.cookies.set(name, value);
  t.equal(refusalIn(await comeBack(atFirst, back)), null);
});
