import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * Whoever changes a flag has the writer read all of its lists, also for a dry run and for a patch that changes nothing,
 * which no quota counts. One organisation's clients do so without pause; another one's changes must not wait for more
 * than the one that is being decided.
 */
t.setTimeout(120_000);
const attackers = 48;
const environments = Array.from({ length: 8 }, (_, index) => `e${index}`);
const cohortLength = 21;
/** As many as a body holds. */
const cohortCount = 43_000;
const changes = 10;
/** While one change is under way. In the order of arrival there would be one of each attacker. */
const answersBetweenMax = attackers / 3;
/** Changes that are sent at once, each on a connection of its own. */
const burst = 300;
const slowestMaxMs = 100;
/** Between two tries of a client that was refused. */
const pauseMs = 50;

function cohortsOf(place: string, count = cohortCount): string[] {
  return Array.from({ length: count }, (_, index) => `${place}-${index}`.padEnd(cohortLength, '.'));
}

function organisationOf(name: string, project: object): object {
  const tokens = [{ name: 'ci', permission: 'write' }];
  return { name, plan: 'enterprise', projects: [{ name, tokens, ...project }] };
}

t.test('changes of a flag with long lists delay those of another organisation by one at most', async (t) => {
  const dataDir = temporaryDirectory(t);
  const lists = Object.fromEntries(environments.map((name) => [name, { cohorts: cohortsOf(name) }]));
  const document = {
    organisations: [
      organisationOf('hostile', { environments, flags: [{ name: 'long', environments: lists }] }),
      organisationOf('quiet', { flags: [{ name: 'short' }] }),
    ],
  };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const { port } = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '2' } });
  const [hostile, quiet] = [projectOf(provisioned, 'hostile'), projectOf(provisioned, 'quiet')];
  const clientOf = (project: typeof hostile) => {
    const client = createHttpClient(t, { port });
    const authorization = `Bearer ${tokenOf(project, 'ci').secret}`;
    return (path: string, body: object) =>
      client.send({
        method: 'PATCH',
        path,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
  };
  const long = `/api/v1/flags/${idOf(hostile.flags, 'long')}?env=e0`;
  let answers = 0;
  let isOver = false;
  const statuses = new Set<number>();
  const attack = async (index: number): Promise<void> => {
    const send = clientOf(hostile);
    while (!isOver) {
      const { status } = await send(index % 2 === 0 ? long : `${long}&dryRun=true`, { enabled: false });
      statuses.add(status);
      answers += 1;
      if (status !== 200) await setTimeout(pauseMs);
    }
  };
  const attacking = Array.from({ length: attackers }, (_, index) => attack(index));
  const change = clientOf(quiet);
  const short = `/api/v1/flags/${idOf(quiet.flags, 'short')}`;
  const bodies = Array.from({ length: changes }, (_, index): readonly [string, object][] => [
    ['a short change', { trafficPercentage: index + 1 }],
    ['a change with a long body', { cohorts: cohortsOf(`c${index}`, 3000) }],
  ]).flat();
  while (answers < attackers) await setTimeout(pauseMs);
  for (const [what, body] of bodies) {
    const before = answers;
    const { status } = await change(short, body);
    t.equal(status, 200, what);
    t.ok(
      answers - before <= answersBetweenMax,
      `${what}: ${answers - before} others were answered meanwhile`,
    );
  }
  isOver = true;
  await Promise.all(attacking);
  t.strictSame([...statuses].filter((status) => status !== 200 && status !== 503).sort(), []);
});

t.test('a change of a flag with long lists leaves those of other environments as they are', async (t) => {
  const dataDir = temporaryDirectory(t);
  const lists = Object.fromEntries(environments.map((name) => [name, { cohorts: cohortsOf(name) }]));
  const document = {
    organisations: [
      organisationOf('tenant', { environments, flags: [{ name: 'long', environments: lists }] }),
    ],
  };
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'tenant');
  const { port } = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port });
  const authorization = `Bearer ${tokenOf(project, 'ci').secret}`;
  const path = `/api/v1/flags/${idOf(project.flags, 'long')}`;
  const expected: Record<string, readonly string[]> = Object.fromEntries(
    environments.map((name) => [name, cohortsOf(name)]),
  );
  const patch = async (name: string, body: { cohorts?: readonly string[]; enabled?: boolean }) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await client.send({
      method: 'PATCH',
      path: `${path}?env=${name}`,
      headers,
      body: JSON.stringify(body),
    });
    t.equal(answer.status, 200);
    t.match(JSON.parse(answer.text), { changed: true });
    if (body.cohorts !== undefined) expected[name] = body.cohorts;
    const read = await client.send({ path, headers: { authorization } });
    const found = (JSON.parse(read.text) as { environments: Record<string, { cohorts: readonly string[] }> })
      .environments;
    for (const one of environments) {
      const isSame = JSON.stringify(found[one]?.cohorts) === JSON.stringify(expected[one]);
      t.ok(isSame, `${one}, after a change of ${name}`);
    }
  };
  await patch('e1', { enabled: true });
  await patch('e3', { cohorts: cohortsOf('ä', cohortCount / 4) });
  await patch('e3', { enabled: true });
  await patch('e0', { cohorts: ['one'] });
  await patch('e7', { cohorts: cohortsOf('other').reverse() });
});

t.test('changes of a long flag that come at once do not hold up evaluations of their worker', async (t) => {
  const dataDir = temporaryDirectory(t);
  // Of lists that a view is made of, such as those of more than 16 MiB, no copy is made.
  const lists = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`e${index}`, { cohorts: cohortsOf(`e${index}`) }]),
  );
  const names = Object.keys(lists);
  const document = {
    organisations: [
      organisationOf('hostile', { environments: names, flags: [{ name: 'long', environments: lists }] }),
      organisationOf('quiet', { flags: [{ name: 'short' }] }),
    ],
  };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const { port } = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '1' } });
  const [hostile, quiet] = [projectOf(provisioned, 'hostile'), projectOf(provisioned, 'quiet')];
  const evaluation = `/v1/flags/${idOf(quiet.flags, 'short')}?targetingKey=a`;
  const authorization = `Bearer ${tokenOf(hostile, 'ci').secret}`;
  const path = `/api/v1/flags/${idOf(hostile.flags, 'long')}?env=e0`;
  const patch = `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`;
  const client = createHttpClient(t, { port });
  const evaluate = async (): Promise<number> => {
    const startedAt = performance.now();
    t.equal((await client.send({ path: evaluation })).status, 200);
    return performance.now() - startedAt;
  };
  await evaluate();
  const sockets = await Promise.all(
    Array.from({ length: burst }, async () => {
      const socket = connect(port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  const answered = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(patch);
  let slowest = 0;
  for (let count = 0; count < 50; count += 1) slowest = Math.max(slowest, await evaluate());
  t.comment(`the slowest of 50 evaluations beside ${burst} changes took ${Math.round(slowest)} ms`);
  t.ok(slowest < slowestMaxMs, `${slowest} ms`);
  await Promise.all(answered);
});
