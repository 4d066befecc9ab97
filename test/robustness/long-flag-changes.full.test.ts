import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { flagListsMax } from '../../src/domain/flag/list-lengths.ts';
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
const attackers = 12;
const environments = Array.from({ length: 8 }, (_, index) => `e${index}`);
const cohortLength = 21;
/** As many as a body holds. */
const cohortCount = 43_000;
const changes = 10;
/** While one change is under way: one that was begun before, one in its turn, and one whose answer arrives late. */
const answersBetweenMax = 3;
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

t.test('the lists of a flag together are bounded, and a flag that is longer stays changeable', async (t) => {
  const dataDir = temporaryDirectory(t);
  const more = [...environments, 'e8'];
  const longest = Object.fromEntries(more.map((name) => [name, { cohorts: cohortsOf(name) }]));
  const long = Object.fromEntries(more.slice(0, 8).map((name) => [name, { cohorts: cohortsOf(name) }]));
  const flags = [
    { name: 'longest', environments: longest },
    { name: 'long', environments: long },
  ];
  const document = { organisations: [organisationOf('tenant', { environments: more, flags })] };
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'tenant');
  const { port } = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port });
  const patch = (name: string, query: string, body: object) =>
    client.send({
      method: 'PATCH',
      path: `/api/v1/flags/${idOf(project.flags, name)}?${query}`,
      headers: {
        authorization: `Bearer ${tokenOf(project, 'ci').secret}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  t.ok(
    more.length * cohortCount * (cohortLength + 1) > flagListsMax,
    'what an operator applies is not bounded',
  );
  const grown = { cohorts: cohortsOf('grown') };
  for (const query of ['env=e8', 'env=e8&dryRun=true']) {
    const refused = await patch('long', query, grown);
    t.equal(refused.status, 400, query);
    t.match(JSON.parse(refused.text), { detail: /together must have at most 8,388,608 characters/ });
  }
  t.equal((await patch('long', 'env=e8', { cohorts: ['one'] })).status, 200, 'a short list has room');
  t.equal((await patch('long', 'env=e0', { cohorts: cohortsOf('other') })).status, 200, 'as long as before');
  t.equal((await patch('longest', 'env=e0', { enabled: true })).status, 200, 'what does not grow is changed');
  const oneMore = [...cohortsOf('e0'), 'one more'];
  t.equal((await patch('longest', 'env=e0', { cohorts: oneMore })).status, 400);
  t.equal((await patch('longest', 'env=e0', { cohorts: ['one'] })).status, 200, 'and it may shrink');
});
