import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { idOf, type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * A flag of a hundred environments near the bounds of its lists (docs/limits.md): responses about it are complete, and a
 * change of one environment leaves the others as they are.
 */
t.setTimeout(120_000);
const environments = Array.from({ length: 100 }, (_, index) => `environment-${index}`);
/** Shown by each environment: together almost 8 MiB. */
const inheritedCohorts = 3000;
/** Stored for each environment: together almost 1 MiB. */
const ownCohorts = 450;

const cohortsOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`.padEnd(22, '.'));

interface Stage {
  readonly client: HttpClient;
  readonly project: ProvisionedProject;
  readonly headers: Record<string, string>;
}

async function open(t: Test): Promise<Stage> {
  const dataDir = temporaryDirectory(t);
  const lists = environments.map((name) => [name, { cohorts: cohortsOf(name, ownCohorts) }] as const);
  const project = {
    name: 'group',
    environments,
    flags: [
      { name: 'inherits', cohorts: cohortsOf('all', inheritedCohorts) },
      { name: 'holds', environments: Object.fromEntries(lists) },
    ],
    tokens: [{ name: 'ci', permission: 'write' }],
  };
  const document = { organisations: [{ name: 'Long', plan: 'enterprise', projects: [project] }] };
  const provisioned = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'group');
  const { port } = await bootServer(t, { dataDir, settings: unlimited });
  const headers = bearer(tokenOf(provisioned, 'ci').secret);
  return { client: createHttpClient(t, { port }), project: provisioned, headers };
}

/** Long texts are compared by their hash: a difference is not shown. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

t.test('responses with a hundred long lists are complete', async (t) => {
  const { client, project, headers } = await open(t);
  const views: string[] = [];
  for (const [name, listOf] of [
    ['holds', (environment: string) => cohortsOf(environment, ownCohorts)],
    ['inherits', () => cohortsOf('all', inheritedCohorts)],
  ] as const) {
    const id = idOf(project.flags, name);
    const path = `/api/v1/flags/${id}`;
    const one = await client.send({ path: `${path}?env=environment-7`, headers });
    const { kind, updatedAt, cohorts } = JSON.parse(one.text);
    t.same(cohorts, listOf('environment-7'));
    const states = environments.map((environment) => {
      const state = { enabled: false, trafficPercentage: 0, cohorts: listOf(environment), audienceId: null };
      return [environment, { ...state, updatedAt }] as const;
    });
    const text = JSON.stringify({ id, name, kind, updatedAt, environments: Object.fromEntries(states) });
    const whole = await client.send({ path, headers });
    t.same([whole.status, digest(whole.text)], [200, digest(text)], `${name}: ${text.length} characters`);
    const tag = one.headers.get('etag') ?? '';
    const again = await client.send({ path, headers: { ...headers, 'if-none-match': tag } });
    t.same([again.status, again.headers.get('etag'), again.text], [304, tag, '']);
    views.push(text);
  }
  const list = await client.send({ path: '/api/v1/flags', headers });
  t.equal(digest(list.text), digest(`{"flags":[${views.join(',')}]}`), 'the list of both');
  const named = await client.send({ path: '/api/v1/flags?name=inherits', headers });
  t.equal(digest(named.text), digest(`{"flags":[${views[1]}]}`), 'the list of one');
});

t.test('a change of a long list leaves those of other environments as they are', async (t) => {
  const { client, project, headers } = await open(t);
  const path = `/api/v1/flags/${idOf(project.flags, 'holds')}`;
  const expected = new Map(environments.map((name) => [name, cohortsOf(name, ownCohorts)]));
  const patch = async (name: string, body: { cohorts?: string[]; enabled?: boolean }): Promise<void> => {
    const request = { method: 'PATCH', path: `${path}?env=${name}`, headers, body: JSON.stringify(body) };
    const answer = await client.send(request);
    t.match([answer.status, JSON.parse(answer.text)], [200, { changed: true }]);
    if (body.cohorts !== undefined) expected.set(name, body.cohorts);
    const read = JSON.parse((await client.send({ path, headers })).text) as {
      environments: Record<string, { cohorts: string[] }>;
    };
    const wrong = environments.filter(
      (one) => `${read.environments[one]?.cohorts}` !== `${expected.get(one)}`,
    );
    t.same(wrong, [], `after a change of ${name}`);
  };
  await patch('environment-1', { enabled: true });
  await patch('environment-3', { cohorts: cohortsOf('ä', ownCohorts / 2) });
  await patch('environment-3', { enabled: true });
  await patch('environment-0', { cohorts: ['one'] });
  await patch('environment-99', { cohorts: cohortsOf('other', ownCohorts).reverse() });
});
