import type { Page } from 'playwright-core';
import { runBurgeeOrThrow, type Settings } from '../../support/burgee-command.ts';
import { createHttpClient } from '../../support/http-client.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { type ConsoleCaller, consoleCaller } from './console-caller.ts';
import type { ConsoleStage, ConsoleWindow } from './console-stage.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The ids in the addresses of a furnished console's pages. */
export interface FurnishedDemo {
  readonly projectId: string;
  /** A project without flags. */
  readonly emptyProjectId: string;
  readonly flagId: string;
  readonly flagName: string;
  /** A flag that one screen switches on and off. */
  readonly switchedFlag: Named;
  /** A flag that two people change at once on one screen. */
  readonly contestedFlag: Named;
  readonly audienceId: string;
  readonly tokenId: string;
  /** Path and fragment of an unused invitation. */
  readonly invitation: string;
}

interface Project extends Named {
  readonly environments: readonly { readonly number: number; readonly name: string }[];
}

interface Flag extends Named {
  readonly revision: number;
}

const flagName = 'new-checkout';

/** Settings of the server: people may also sign in with a provider, which no screen contacts. */
export const demoSettings: Settings = {
  BURGEE_BASE_URL: 'http://127.0.0.1:0',
  BURGEE_OPEN_ID_ISSUER: 'http://127.0.0.1:9',
  BURGEE_OPEN_ID_CLIENT_ID: 'burgee',
  BURGEE_OPEN_ID_NAME: 'Acme Login',
};

/**
 * Makes the demo in an empty data directory.
 *
 * @returns path and fragment of the one-time link that signs its Owner in
 */
export async function makeDemo(dataDir: string): Promise<string> {
  const text = await runBurgeeOrThrow(['demo', '--data-dir', dataDir]);
  const path = /https?:\/\/[^/\s]+(\/console\/link#[0-9A-Za-z]+)/.exec(text)?.[1];
  if (path === undefined) throw new Error(`the demo shows no link for its Owner:\n${text}`);
  return path;
}

/** A window of the demo's Owner. */
export async function openDemo(stage: ConsoleStage, link: string): Promise<ConsoleWindow> {
  const window = await stage.window();
  await window.open(link);
  await window.page.getByRole('button', { name: 'Continue' }).click();
  await window.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  return window;
}

function named<Thing extends Named>(things: readonly Thing[], name: string): Thing {
  const found = things.find((thing) => thing.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** Gives the flag a history. */
async function editFlag(call: ConsoleCaller, project: Project, flag: Flag): Promise<void> {
  const numberOf = (wanted: string): number =>
    project.environments.find(({ name }) => name === wanted)?.number ?? 0;
  const path = `/projects/${project.id}/flags/${flag.id}`;
  let { revision } = flag;
  const edit = async (change: object): Promise<void> => {
    const result = await call<{ flag: Flag }>('PATCH', path, { revision, ...change });
    revision = result.flag.revision;
  };
  await edit({ cohorts: Array.from({ length: 12 }, (_, index) => `store-${index + 1}`) });
  await edit({
    states: { [numberOf('staging')]: { trafficPercentage: 75, cohorts: ['employees', 'partners', 'qa'] } },
  });
  await edit({ states: { [numberOf('production')]: { trafficPercentage: 50 } } });
}

/** Makes a token that is used, and refused for an environment. @returns its id */
async function useToken(
  t: Lifetime,
  call: ConsoleCaller,
  projectId: string,
  flagId: string,
  port: number,
): Promise<string> {
  const { token, secret } = await call<{ token: Named; secret: string }>(
    'POST',
    `/projects/${projectId}/tokens`,
    {
      name: 'deploy pipeline',
      permission: 'write',
      environments: ['staging'],
      expiryDays: 90,
    },
  );
  const http = createHttpClient(t, { port });
  const headers = { authorization: `Bearer ${secret}` };
  const patch = (environment: string, trafficPercentage: number) =>
    http.send({
      method: 'PATCH',
      path: `/api/v1/flags/${flagId}?env=${environment}`,
      headers,
      body: JSON.stringify({ enabled: true, trafficPercentage }),
    });
  await http.send({ path: '/api/v1/flags?env=staging', headers });
  await patch('staging', 100);
  await patch('production', 100);
  return token.id;
}

/** Evaluates the flag as applications do, so that there are counts. */
async function evaluate(t: Lifetime, flagId: string, port: number): Promise<void> {
  const http = createHttpClient(t, { port });
  for (const environment of ['staging', 'production']) {
    for (let key = 0; key < 40; key += 1) {
      await http.send({ path: `/v1/flags/${flagId}?env=${environment}&targetingKey=user-${key}` });
    }
  }
}

async function invite(call: ConsoleCaller, email: string, role = 'editor'): Promise<URL> {
  const { url } = await call<{ url: string }>('POST', '/invitations', { email, role });
  return new URL(url);
}

/** A window of a new member, who joins through an invitation. The Owner's window keeps its session. */
export async function openJoined(
  stage: ConsoleStage,
  call: ConsoleCaller,
  role: 'admin' | 'editor' | 'viewer',
  email = `${role}@demo.example`,
): Promise<ConsoleWindow> {
  const guest = await stage.window();
  const { hash, pathname } = await invite(call, email, role);
  await guest.open(`${pathname}${hash}`);
  await guest.page.getByLabel('Your name').fill(`Demo ${role.slice(0, 1).toUpperCase()}${role.slice(1)}`);
  await guest.page.getByLabel('New password').fill('a password of a member');
  await guest.page.getByRole('button', { name: 'Join', exact: true }).click();
  await guest.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  return guest;
}

/** Adds what an unused demo lacks: history, refusals, counts, members. */
export async function furnishDemo(t: Lifetime, stage: ConsoleStage, page: Page): Promise<FurnishedDemo> {
  const call = consoleCaller(page);
  const { port } = stage.server;
  const { projects } = await call<{ projects: Project[] }>('GET', '/projects');
  const project = named(projects, 'shop');
  const flagsPath = `/projects/${project.id}/flags`;
  const { flags } = await call<{ flags: Flag[] }>('GET', flagsPath);
  const flag = named(flags, flagName);
  const { audiences } = await call<{ audiences: Named[] }>('GET', `/projects/${project.id}/audiences`);
  await call('POST', `/projects/${project.id}/audiences`, {
    name: 'Nordic testers',
    rules: [
      { attribute: 'country', values: ['DK', 'FI', 'IS', 'NO', 'SE'] },
      { attribute: 'beta', values: ['yes'] },
    ],
  });
  await editFlag(call, project, flag);
  const tokenId = await useToken(t, call, project.id, flag.id, port);
  await evaluate(t, flag.id, port);
  const editor = await openJoined(stage, call, 'editor');
  await editor.page.context().close();
  const link = await invite(call, 'newcomer@example.test');
  const playground = { name: 'playground', isPersonal: true, isMultiEnvironment: false };
  const empty = await call<Named>('POST', '/projects', playground);
  return {
    projectId: project.id,
    emptyProjectId: empty.id,
    flagId: flag.id,
    flagName,
    switchedFlag: named(flags, 'product-videos'),
    contestedFlag: named(flags, 'dark-mode'),
    audienceId: named(audiences, 'Members').id,
    tokenId,
    invitation: `${link.pathname}${link.hash}`,
  };
}
