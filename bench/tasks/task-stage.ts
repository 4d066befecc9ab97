import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { consoleCaller } from '../../test/browser/support/console-caller.ts';
import { findWholeChromium, startChromium } from '../../test/browser/support/start-chromium.ts';
import { bootServer } from '../../test/support/booted-server.ts';
import { finishCommand, spawnBurgee } from '../../test/support/burgee-command.ts';
import type { Lifetime } from '../../test/support/lifetime.ts';
import type { Device } from './effort.ts';
import { organisation, owner } from './task-world.ts';

interface ProvisionedProject {
  readonly id: string;
  readonly flags: Readonly<Record<string, string>>;
}

interface FlagAnswer {
  readonly revision: number;
  readonly states: Readonly<Record<string, StateAnswer>>;
}

export interface StateAnswer {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  readonly audienceId: string | null;
}

const contextOptions = {
  mouse: { viewport: { width: 1440, height: 900 } },
  keyboard: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} as const;

/** A server over the world of the tasks, with windows in which its Owner is signed in. */
export class TaskStage {
  readonly origin: string;
  readonly #projects: Readonly<Record<string, ProvisionedProject>>;
  readonly #pages: ReadonlyMap<Device, Page>;

  constructor(
    origin: string,
    projects: Readonly<Record<string, ProvisionedProject>>,
    pages: ReadonlyMap<Device, Page>,
  ) {
    this.origin = origin;
    this.#projects = projects;
    this.#pages = pages;
  }

  page(device: Device): Page {
    const page = this.#pages.get(device);
    if (page === undefined) throw new Error(`no window for ${device}`);
    return page;
  }

  project(name: string): ProvisionedProject {
    const found = this.#projects[name];
    if (found === undefined) throw new Error(`no project ${name}`);
    return found;
  }

  /** @returns the path of a flag's page */
  flagPath(project: string, flag: string): string {
    return `/console/projects/${this.project(project).id}/flags/${this.flagId(project, flag)}`;
  }

  flagId(project: string, flag: string): string {
    return this.project(project).flags[flag] ?? '';
  }

  /** Calls the console's API as the Owner. @throws unless the answer is 2xx */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return consoleCaller(this.page('mouse'), this.origin)(method, path, body);
  }

  async #environmentNumber(project: string, name: string): Promise<string> {
    const { environments } = await this.call<{
      readonly environments: readonly { readonly number: number; readonly name: string }[];
    }>('GET', `/projects/${this.project(project).id}`);
    return String(environments.find((each) => each.name === name)?.number ?? 0);
  }

  async stateOf(project: string, flagId: string, environment: string): Promise<StateAnswer | undefined> {
    const path = `/projects/${this.project(project).id}/flags/${flagId}`;
    const { states } = await this.call<FlagAnswer>('GET', path);
    return states[await this.#environmentNumber(project, environment)];
  }

  async putState(
    project: string,
    flag: string,
    environment: string,
    state: Partial<StateAnswer>,
  ): Promise<void> {
    const path = `/projects/${this.project(project).id}/flags/${this.flagId(project, flag)}`;
    const { revision } = await this.call<FlagAnswer>('GET', path);
    const states = { [await this.#environmentNumber(project, environment)]: state };
    await this.call('PATCH', path, { revision, states });
  }
}

async function signedIn(browser: Browser, origin: string, device: Device): Promise<Page> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...contextOptions[device],
  });
  const page = await context.newPage();
  await page.goto(`${origin}/console/`);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  return page;
}

/**
 * @param checkout whose console the tasks are done in; it must be built
 * @param devices of which a window is opened, beside that of the mouse
 */
export async function setTaskStage(
  t: Lifetime,
  checkout: string,
  devices: readonly Device[],
): Promise<TaskStage> {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-tasks-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'world.json')];
  writeFileSync(file, JSON.stringify({ organisations: [organisation] }));
  const spawn: typeof spawnBurgee = (args, settings, before) => spawnBurgee(args, settings, before, checkout);
  const applied = await finishCommand(spawn(['apply', file, '--data-dir', dataDir]));
  if (applied.code !== 0) throw new Error(`burgee apply: ${applied.stderr}`);
  const { projects } = JSON.parse(applied.stdout) as {
    readonly projects: Readonly<Record<string, ProvisionedProject>>;
  };
  const server = await bootServer(t, { dataDir, spawn });
  const origin = `http://127.0.0.1:${server.port}`;
  const programs = findWholeChromium();
  if (programs.skip !== false) throw new Error(programs.skip);
  const browser = await startChromium(t, programs);
  const pages = new Map<Device, Page>();
  for (const device of new Set<Device>(['mouse', ...devices])) {
    pages.set(device, await signedIn(browser, origin, device));
  }
  return new TaskStage(origin, projects, pages);
}
