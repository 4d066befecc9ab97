import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/* A create with an `Idempotency-Key` can be repeated: at once, at the same time, and after `kill -9` at any moment. */
t.setTimeout(240_000);

const clients = 16;
const kills = 3;
const strikesWithinMs = 20_000;

t.test('equal requests at the same time create one flag, and get one answer', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port, connectionsMax: 64 });
  for (let round = 0; round < 10; round += 1) {
    const headers = { ...bearer(secret), 'idempotency-key': `round-${round}` };
    const request = { method: 'POST', path: '/api/v1/flags', headers, body: `{"name":"round ${round}"}` };
    const answers = await Promise.all(Array.from({ length: 64 }, () => client.send(request)));
    t.same([...new Set(answers.map(({ status }) => status))], [201]);
    t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'all get the same bytes');
    t.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 1);
  }
  const list = await client.send({ path: '/api/v1/flags', headers: bearer(secret) });
  const { flags } = JSON.parse(list.text) as { flags: { name: string }[] };
  t.equal(flags.filter(({ name }) => name.startsWith('round ')).length, 10);
  await server.stop();
  t.equal((await runBurgee(['check', '--data-dir', dataDir])).code, 0);
});

t.test(
  'kill -9 between commit and answer: repeating creates nothing, and the answer is the first',
  async (t) => {
    const { dataDir, secret } = await provisionOne(t);
    const answered = new Map<string, string>();
    let unacknowledged = 0;
    for (let round = 1; round <= kills; round += 1) {
      const unanswered = await createUntilKilled(t, dataDir, secret, round, answered);
      t.equal((await runBurgee(['check', '--data-dir', dataDir])).code, 0, 'clean right after the kill');

      const server = await bootServer(t, { dataDir, settings: unlimited });
      const before = await countByName(t, server, secret);
      unacknowledged += unanswered.filter((key) => before.has(key)).length;
      const client = createHttpClient(t, { port: server.port });
      for (const key of unanswered) {
        const answer = await create(client, secret, key);
        t.equal(answer.status, 201);
        answered.set(key, answer.text);
      }
      const repeated = [...answered.keys()].slice(-100);
      for (const key of repeated) {
        const again = await create(client, secret, key);
        if (again.text !== answered.get(key)) t.fail(`${key}: ${again.status} ${again.text}`);
      }
      const after = await countByName(t, server, secret);
      const wrong = [...answered.keys()].filter((key) => after.get(key) !== 1);
      t.same(wrong, [], `each of ${answered.size} keys has exactly one flag`);
      await server.stop();
    }
    // A single kill may come at a commit that holds uses of tokens alone.
    t.ok(unacknowledged > 0, 'committed creates are there although they were not acknowledged');
  },
);

function create(
  client: ReturnType<typeof createHttpClient>,
  secret: string,
  key: string,
): Promise<ClientResponse> {
  const headers = { ...bearer(secret), 'idempotency-key': key };
  return client.send({ method: 'POST', path: '/api/v1/flags', headers, body: JSON.stringify({ name: key }) });
}

/**
 * The writer stops where a commit is durable and not acknowledged, and the process is killed there. Each flag's name is
 * its key.
 * @returns the keys that were sent and got no answer
 */
async function createUntilKilled(
  t: Test,
  dataDir: string,
  secret: string,
  round: number,
  answered: Map<string, string>,
): Promise<string[]> {
  const server = await bootTampered(t, { dataDir, settings: unlimited });
  await server.arm({ kind: 'hang', moment: 'durable', countdown: 7 * round });
  const unanswered: string[] = [];
  const run = async (number: number): Promise<void> => {
    const client = createHttpClient(t, { port: server.port });
    for (let turn = 0; ; turn += 1) {
      const key = `round-${round}-client-${number}-turn-${turn}`;
      const answer = await create(client, secret, key).catch(() => null);
      if (answer === null) {
        unanswered.push(key);
        return;
      }
      t.equal(answer.status, 201);
      answered.set(key, answer.text);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, number) => run(number)));
  const hasStruck = async (): Promise<boolean> => (await server.report()).struck > 0;
  await eventually(hasStruck, strikesWithinMs, 'no commit came');
  server.signal('SIGKILL');
  t.equal(await server.ended, 'SIGKILL');
  await running;
  return unanswered;
}

async function countByName(t: Test, server: BootedServer, secret: string): Promise<Map<string, number>> {
  const client = createHttpClient(t, { port: server.port });
  const list = await client.send({ path: '/api/v1/flags', headers: bearer(secret) });
  const { flags } = JSON.parse(list.text) as { flags: { name: string }[] };
  const counts = new Map<string, number>();
  for (const { name } of flags) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
