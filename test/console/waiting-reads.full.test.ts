import t from 'tap';
import { WireConnection } from '../campaigns/wire-connection.ts';
import { beginBody } from '../robustness/robustness-fixture.ts';
import { bootConsole, person, signInAs } from './console-fixture.ts';

/*
 * Reads beyond a millisecond of a pass of the event loop wait, and count as requests in flight. A member of one
 * organisation requests long audiences as fast as they can, from many addresses. Members of another one are answered.
 */
t.setTimeout(120_000);

const inFlightMax = 60;
const asked = 4 * inFlightMax;
const tries = 20;
const addresses = 40;
const values = Array.from({ length: 5000 }, (_, index) => `customer ${index}`.padEnd(40, '.'));
const audiences = Array.from({ length: 5 }, (_, index) => ({
  name: `Large ${index}`,
  rules: [{ attribute: 'plan', values }],
}));
const quiet = { ...person('owner'), email: 'owner@quiet.example' };

const document = {
  organisations: [
    {
      name: 'hostile',
      plan: 'enterprise',
      members: [person('owner')],
      projects: [{ name: 'large', audiences, flags: [] }],
    },
    { name: 'quiet', plan: 'enterprise', members: [quiet], projects: [{ name: 'small', flags: [] }] },
  ],
};

t.test('reads that wait take no more than the quota of their member', async (t) => {
  const server = await bootConsole(t, document, {
    BURGEE_WORKERS: '1',
    BURGEE_IN_FLIGHT_MAX: String(inFlightMax),
    BURGEE_REQUEST_DEADLINE_MS: '60000',
  });
  const hostile = await signInAs(t, server, person('owner').email);
  const other = await signInAs(t, server, quiet.email);
  const [project] = (await hostile.send('GET', '/projects')).json.projects;
  const path = `/projects/${project.id}/audiences`;
  const cookie = [...hostile.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const request = `GET /console/api${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`;
  const connections = await Promise.all(
    Array.from({ length: asked }, (_unused, index) =>
      WireConnection.open(server.port, `127.0.2.${1 + (index % addresses)}`),
    ),
  );
  t.teardown(() => {
    for (const connection of connections) connection.destroy();
  });
  const crowd = connections.map(async (connection) => (await connection.ask(request)).status);
  const statuses: number[] = [];
  for (let count = 0; count < tries; count += 1) statuses.push((await other.send('GET', '/projects')).status);
  t.strictSame(
    statuses.filter((status) => status !== 200),
    [],
    'another organisation is answered',
  );
  const answers = await Promise.all(crowd);
  const refused = answers.filter((status) => status === 503).length;
  t.ok(refused > 0 && refused < asked, `${refused} of ${asked} were refused`);
  t.strictSame(
    answers.filter((status) => status !== 200 && status !== 503),
    [],
  );
  t.equal((await hostile.send('GET', path)).status, 200, 'the quota is given back');
  await server.stop();
});

t.test('reads of a member that wait find places beside sign-ins whose bodies do not come', async (t) => {
  const server = await bootConsole(t, document, {
    BURGEE_WORKERS: '1',
    BURGEE_IN_FLIGHT_MAX: '100',
    BURGEE_REQUEST_DEADLINE_MS: '60000',
  });
  const member = await signInAs(t, server, person('owner').email);
  const [project] = (await member.send('GET', '/projects')).json.projects;
  for (let count = 0; count < 200; count += 1)
    await beginBody(t, server.port, `127.0.2.${1 + (count % addresses)}`, '/console/api/session', 0);
  const path = `/projects/${project.id}/audiences`;
  const reads = await Promise.all(Array.from({ length: 8 }, () => member.send('GET', path)));
  t.strictSame(
    reads.map(({ status }) => status),
    reads.map(() => 200),
  );
  await server.stop();
});
