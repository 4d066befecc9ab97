import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject, type Provisioned, provisionOne } from './lifecycle-fixture.ts';

/* After `kill -9` at any moment acknowledged changes are there, the store is clean, and its claim is free. */
t.setTimeout(120_000);

t.test('kill -9 in the middle of writes', async (t) => {
  const provisioned = await provisionOne(t);
  const created = new Map<string, string>();
  for (let round = 1; round <= 3; round += 1) {
    const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
    await createUntilKilled(t, server, provisioned, round, created);
    t.equal(await server.ended, 'SIGKILL');
    const check = await runBurgee(['check', '--data-dir', provisioned.dataDir]);
    t.equal(check.code, 0, `right after the kill: ${check.stdout}${check.stderr}`);
  }
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  const list = await client.send({ path: '/api/v1/flags', headers: bearer(provisioned.secret) });
  const { flags } = JSON.parse(list.text) as { flags: { id: string; name: string }[] };
  const stored = new Map(flags.map(({ id, name }) => [id, name]));
  const lost = [...created].filter(([id, name]) => stored.get(id) !== name);
  t.same(lost, [], `all of ${created.size} acknowledged flags are there`);
  t.equal((await runBurgee(['check', '--data-dir', provisioned.dataDir])).code, 0, 'clean beside the server');
  await server.stop();
});

t.test('a second start keeps the data, and apply changes nothing', async (t) => {
  const dataDir = temporaryDirectory(t);
  const document = oneProject('kept', {
    flags: [{ name: 'flag', enabled: true, trafficPercentage: 100, cohorts: ['a'] }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const first = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'kept');
  const { id: tokenId, secret } = tokenOf(first, 'ci');
  const path = `/api/v1/flags/${idOf(first.flags, 'flag')}`;
  for (let start = 1; start <= 2; start += 1) {
    const server = await bootServer(t, { dataDir });
    const client = createHttpClient(t, { port: server.port });
    const flag = await client.send({ path, headers: bearer(secret) });
    t.match(JSON.parse(flag.text), { name: 'flag', enabled: true, cohorts: ['a'] });
    const again = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'kept');
    t.same(again.flags, first.flags, 'the same ids');
    t.same(again.tokens['ci'], { id: tokenId, secret: null }, 'no new secret');
    await server.stop();
    t.notOk(server.lines.join('\n').includes(secret), 'no secret is printed');
  }
});

/** Sixteen clients create flags, and the process is killed meanwhile. */
async function createUntilKilled(
  t: Test,
  server: BootedServer,
  { secret }: Provisioned,
  round: number,
  created: Map<string, string>,
): Promise<void> {
  const killAfter = 150 * round;
  let acknowledged = 0;
  const statuses = new Set<number>();
  const create = async (number: number): Promise<void> => {
    const client = createHttpClient(t, { port: server.port });
    for (let turn = 0; ; turn += 1) {
      const name = `round ${round}, client ${number}, flag ${turn}`;
      const request = { method: 'POST', path: '/api/v1/flags', body: JSON.stringify({ name }) };
      const answer = await client.send({ ...request, headers: bearer(secret) }).catch(() => null);
      if (answer === null) return;
      statuses.add(answer.status);
      created.set((JSON.parse(answer.text) as { id: string }).id, name);
      acknowledged += 1;
      if (acknowledged === killAfter) server.signal('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, number) => create(number)));
  t.same([...statuses], [201]);
}
