import t from 'tap';
import { ConsoleClient } from './console-client.ts';
import { bootConsole, password, signInAs } from './console-fixture.ts';

t.setTimeout(120_000);

/** Each has 50 wrong attempts in a quarter of an hour. */
const addresses = 60;
const connectionsOfAddress = 3;

t.test('while strangers sign in from everywhere, an Owner signs in and switches a flag off', async (t) => {
  const server = await bootConsole(t);
  // A session of the account at this address, which the attack does not end.
  const first = await signInAs(t, server, 'owner@acme.example');
  let isOver = false;
  const outcomes = new Map<number, number>();
  const attack = async (index: number): Promise<void> => {
    const localAddress = `127.0.3.${1 + (index % addresses)}`;
    const client = new ConsoleClient(t, { port: server.port, localAddress });
    const email = index % 2 === 0 ? 'owner@acme.example' : `someone-${index}@acme.example`;
    while (!isOver) {
      const { status } = await client.send('POST', '/session', { email, password: 'a wrong password' });
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    }
  };
  const attackers = Array.from({ length: addresses * connectionsOfAddress }, (_, index) => attack(index));
  // The queue is full: some were refused.
  while (!outcomes.has(503)) await new Promise((resolve) => setTimeout(resolve, 50));

  for (let attempt = 0; attempt < 3; attempt += 1) {
    const owner = new ConsoleClient(t, { port: server.port });
    const signedIn = await owner.send('POST', '/session', { email: 'owner@acme.example', password });
    t.equal(signedIn.status, 200, signedIn.text);
    const { projects } = (await owner.send('GET', '/projects')).json;
    const project = `/projects/${projects[0].id}`;
    const { flags } = (await owner.send('GET', `${project}/flags`)).json;
    const change = { revision: flags[0].revision, states: { 1: { enabled: attempt % 2 === 0 } } };
    const switched = await owner.send('PATCH', `${project}/flags/${flags[0].id}`, change);
    t.equal(switched.status, 200, switched.text);
  }
  isOver = true;
  await Promise.all(attackers);
  t.equal((await first.send('GET', '/session')).json.isSignedIn, true);
  t.strictSame(
    [...outcomes.keys()].filter((status) => ![401, 429, 503].includes(status)),
    [],
  );
  await server.stop();
});
