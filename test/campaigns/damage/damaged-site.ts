import { cpSync } from 'node:fs';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { bearer, createHttpClient, type HttpClient } from '../../support/http-client.ts';
import { type Lifetime, withLifetime } from '../../support/lifetime.ts';
import { idOf, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A request, and the answer of an undamaged server. */
export interface KnownAnswer {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly status: number;
  readonly text: string;
}

/** A data directory that no server has open, and the answers from its data. */
export interface DamagedSite {
  readonly dataDir: string;
  readonly flagIds: readonly string[];
  /** The flags that `changeOn` changes, and a token that may. No other answers depend on them. */
  readonly changed: { readonly flagIds: readonly string[]; readonly secret: string };
  readonly answers: readonly KnownAnswer[];
}

type Question = Pick<KnownAnswer, 'method' | 'path'> & Partial<Pick<KnownAnswer, 'headers' | 'body'>>;

/** Replaces the port, so that the answers of all servers are equal. */
export const siteSettings = { ...unlimited, BURGEE_DOCS_URL: 'https://docs.example.test' };

const environments = ['production', 'staging'];
const singleFlags = 40;
const multiFlags = 12;
const changedFlags = 12;
const rounds = 60;
/** Changes of a server on a damaged directory: enough to use most pages that the list of free pages names. */
const laterRounds = 96;

/** Fills it with records of every kind, values of several pages, freed pages and a kept answer. */
export async function makeSite(t: Lifetime): Promise<DamagedSite> {
  const dataDir = temporaryDirectory(t);
  const provisioned = await provision(dataDir, temporaryDirectory(t), document());
  const single = projectOf(provisioned, 'single');
  const multi = projectOf(provisioned, 'multi');
  const changed = projectOf(provisioned, 'changed');
  const secrets = [tokenOf(single, 'ci').secret, tokenOf(multi, 'ci').secret] as const;
  const questions = [
    ...questionsAbout(single, secrets[0], [null]),
    ...questionsAbout(multi, secrets[1], environments),
    ...questionsInVain(),
  ];
  const replay = keptCreation(secrets[0]);
  const answers = await withLifetime(async (run) => {
    const server = await bootServer(run, { dataDir, settings: siteSettings });
    const client = createHttpClient(run, { port: server.port });
    for (let round = 0; round < rounds; round += 1) {
      await change(client, secrets[0], idOf(single.flags, `flag ${round % singleFlags}`), round);
    }
    await ask(client, replay);
    const known: KnownAnswer[] = [];
    for (const question of [...questions, replay]) known.push(await ask(client, question));
    await server.stop();
    return known;
  });
  return {
    dataDir,
    flagIds: [...Object.values(single.flags), ...Object.values(multi.flags)],
    changed: { flagIds: Object.values(changed.flags), secret: tokenOf(changed, 'ci').secret },
    answers,
  };
}

/** The last acknowledged traffic percentage of each flag, and those whose last change has no clear answer. */
export interface LaterChanges {
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly unclear: ReadonlySet<string>;
}

/** Changes flags of the project that no other answer depends on. */
export async function changeOn(client: HttpClient, { changed }: DamagedSite): Promise<LaterChanges> {
  const acknowledged = new Map<string, number>();
  const unclear = new Set<string>();
  for (let round = 0; round < laterRounds; round += 1) {
    const id = changed.flagIds[round % changedFlags] as string;
    const status = await change(client, changed.secret, id, round).then(
      (answer) => answer.status,
      () => 500,
    );
    if (status === 200) acknowledged.set(id, round);
    if (status >= 500) unclear.add(id);
    else if (status !== 200) throw new Error(`a change of flags/${id} is answered ${status}`);
  }
  return { acknowledged, unclear };
}

/** @returns how many are refused. @throws on an acknowledged change that is not there */
export async function requireChanges(
  client: HttpClient,
  { changed }: DamagedSite,
  { acknowledged, unclear }: LaterChanges,
): Promise<number> {
  let refused = 0;
  for (const [id, percentage] of acknowledged) {
    const question = { method: 'GET', path: `/api/v1/flags/${id}`, headers: bearer(changed.secret) };
    const answer = await ask(client, question).catch(() => null);
    if (answer === null || answer.status >= 500) refused += 1;
    else if (answer.status !== 200)
      throw new Error(`flags/${id} is answered ${answer.status} ${answer.text}`);
    else if (!unclear.has(id) && !answer.text.includes(`"trafficPercentage":${percentage}`))
      throw new Error(
        `flags/${id} has lost its acknowledged change to ${percentage}: ${answer.text.slice(0, 300)}`,
      );
  }
  return refused;
}

/** Makes a copy to damage. */
export function copySite(t: Lifetime, { dataDir }: DamagedSite): string {
  const copy = temporaryDirectory(t);
  cpSync(dataDir, copy, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.endsWith('.sock'),
  });
  return copy;
}

function document(): object {
  const audiences = [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }];
  const tokens = [
    { name: 'ci', permission: 'write' },
    { name: 'reader', permission: 'read' },
  ];
  const state = { enabled: true, trafficPercentage: 50, cohorts: ['alpha'] };
  const single = Array.from({ length: singleFlags }, (_, index) => ({
    name: `flag ${index}`,
    ...state,
    ...(index % 3 === 0 ? { audience: 'Pro' } : {}),
  }));
  const multi = Array.from({ length: multiFlags }, (_, index) => ({
    name: `flag ${index}`,
    cohorts: ['beta'],
    environments: { production: state, staging: { enabled: index % 2 === 0, trafficPercentage: 100 } },
  }));
  const projects = [
    { name: 'single', audiences, flags: single, tokens },
    { name: 'multi', environments, audiences, flags: multi, tokens },
    {
      name: 'changed',
      flags: Array.from({ length: changedFlags }, (_, index) => ({ name: `flag ${index}` })),
      tokens,
    },
  ];
  return { organisations: [{ name: 'Harbour', plan: 'enterprise', projects }] };
}

/** Every eighth change gives a flag a list of cohorts that takes pages of its own, and the next one removes it. */
async function change(client: HttpClient, secret: string, flagId: string, round: number) {
  const many = Array.from({ length: 900 }, (_, index) => `cohort ${round} ${index}`);
  const cohorts = round % 8 === 0 ? many : ['alpha', `round ${round}`];
  const body = JSON.stringify({ cohorts, trafficPercentage: round });
  return ask(client, { method: 'PATCH', path: `/api/v1/flags/${flagId}`, headers: bearer(secret), body });
}

function questionsAbout(
  project: { readonly id: string; readonly flags: Readonly<Record<string, string>> },
  secret: string,
  inEnvironments: readonly (string | null)[],
): readonly Question[] {
  const get = (path: string, headers = {}): Question => ({ method: 'GET', path, headers });
  const manage = (path: string): Question => get(`/api/v1/${path}`, bearer(secret));
  const of = (environment: string | null, sign: string): string =>
    environment === null ? '' : `${sign}env=${environment}`;
  const flags = Object.entries(project.flags).flatMap(([name, id]) => [
    manage(`flags?name=${encodeURIComponent(name)}`),
    manage(`flags/${id}`),
    ...inEnvironments.flatMap((environment) => [
      manage(`flags/${id}${of(environment, '?')}`),
      get(`/v1/flags/${id}?cohort=alpha${of(environment, '&')}`),
      get(`/v1/flags/${id}?targetingKey=user-7&plan=pro${of(environment, '&')}`),
    ]),
  ]);
  const lists = inEnvironments.map((environment) =>
    get(`/v1/flags/project/${project.id}?cohort=alpha${of(environment, '&')}`),
  );
  return [manage('token'), manage('flags'), ...lists, ...flags];
}

function questionsInVain(): readonly Question[] {
  const path = '/v1/flags/00000000000000000000';
  const headers = bearer('burgee_00000000000000000000000000000000000000000000');
  return [
    { method: 'GET', path },
    { method: 'GET', path: '/api/v1/flags', headers },
  ];
}

/** A repeated create gets its first answer again: with a lost kept answer it would create a second flag. */
function keptCreation(secret: string): Question {
  const headers = { ...bearer(secret), 'idempotency-key': 'deploy-7' };
  return { method: 'POST', path: '/api/v1/flags', headers, body: JSON.stringify({ name: 'made once' }) };
}

/** @throws when the connection is cut */
export async function ask(client: HttpClient, question: Question): Promise<KnownAnswer> {
  const { method, path, headers = {}, body = null } = question;
  const request = { method, path, headers, ...(body === null ? {} : { body }) };
  const { status, text } = await client.send(request);
  return { method, path, headers, body, status, text };
}
