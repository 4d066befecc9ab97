import t from 'tap';
import type { BootedServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import { isOn, shopNodes, turn } from './support/shop-nodes.ts';

const { skip } = findPostgres();

/** Asks by OFREP. @param flag null for all flags of the project. @returns the text of the answer, and the node's state */
async function askByOfrep({ port }: BootedServer, project: string, flag: string | null) {
  const place = `http://127.0.0.1:${port}/projects/${project}/ofrep/v1/evaluate/flags`;
  const answer = await fetch(flag === null ? place : `${place}/${flag}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"context":{"targetingKey":"k"}}',
  });
  return { text: await answer.text(), state: answer.headers.get('burgee-state') };
}

t.test('without PostgreSQL evaluation goes on, and afterwards changes do', { skip }, async (test) => {
  const { cluster, nodes, project, flag, secret } = await shopNodes(test);
  const [first, second] = nodes as [BootedServer, BootedServer];
  test.equal((await turn(first, flag, secret, true)).status, 200);
  const askAll = () =>
    Promise.all(nodes.flatMap((node) => [flag, null].map((asked) => askByOfrep(node, project, asked))));
  const attached = await askAll();
  test.ok(attached.every(({ text, state }) => state === null && text.includes('"value":true')));
  await cluster.postgres.stop();
  test.equal(await isOn(second, flag), true);
  const refused = await turn(first, flag, secret, false);
  test.equal(refused.status, 503);
  test.equal(await isOn(first, flag), true);
  await eventually(
    async () => (await askAll()).every(({ state }) => state === 'detached'),
    20_000,
    'every node says by OFREP, too, that it is cut off',
  );
  test.same(
    (await askAll()).map(({ text }) => text),
    attached.map(({ text }) => text),
    'and answers from its last state',
  );
  await cluster.postgres.start();
  await eventually(
    async () => (await turn(second, flag, secret, false)).status === 200,
    20_000,
    'a change is taken again',
  );
  for (const node of nodes) test.equal(await isOn(node, flag), false);
  test.ok((await askAll()).every(({ text, state }) => state === null && text.includes('"value":false')));
});

t.test('a change that a node does not confirm in time is stored, and says so', { skip }, async (test) => {
  const { nodes, flag, secret } = await shopNodes(test, { BURGEE_CLUSTER_WAIT_MS: '1000' });
  const [first, second, third] = nodes as [BootedServer, BootedServer, BootedServer];
  // A node that has just started confirms nothing until the leases of before it have run out.
  const isConfirmed = async (): Promise<boolean> => (await turn(first, flag, secret, false)).status === 200;
  await eventually(isConfirmed, 10_000, 'a change is confirmed');
  third.signal('SIGSTOP');
  const answer = await turn(first, flag, secret, true);
  third.signal('SIGCONT');
  test.equal(answer.status, 503);
  test.match(await answer.json(), { error: 'Stored, not confirmed everywhere' });
  for (const node of [first, second]) test.equal(await isOn(node, flag), true, 'it is stored');
  await eventually(() => isOn(third, flag), 10_000, 'the node that stood still has it, too');
});
