import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { type BootedServer, bootServer } from '../../support/booted-server.ts';
import type { Settings, spawnBurgee } from '../../support/burgee-command.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { startPrefixProxy } from './prefix-proxy.ts';
import { findChromium, startChromium } from './start-chromium.ts';
import { type PageWatch, watchPage } from './watch-page.ts';

/** How long a test waits for something on a page: enough for a slow machine, with an end for a wrong page. */
const patienceMs = 20_000;

/** A page in a browser profile of its own: another window of another person. */
export interface ConsoleWindow {
  readonly page: Page;
  readonly watch: PageWatch;
  /** @param path below the server's address */
  open(path: string): Promise<void>;
}

/** A booted server and a browser. */
export interface ConsoleStage {
  readonly server: BootedServer;
  /** The address of the service, with its path if it has one. */
  readonly origin: string;
  /** Opens a window without animations, unless `options` say otherwise. */
  window(options?: BrowserContextOptions): Promise<ConsoleWindow>;
}

const programs = findChromium();

async function openWindow(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<ConsoleWindow> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const watch = watchPage(page, new URL(origin).origin);
  return { page, watch, open: async (path) => void (await page.goto(`${origin}${path}`)) };
}

const browsers = new WeakMap<Lifetime, Promise<Browser>>();

/** Starts one browser for all stages of `t`, with which it ends. Each window has a profile of its own. */
function browserOf(t: Lifetime): Promise<Browser> {
  const started = browsers.get(t) ?? startChromium(t, programs);
  browsers.set(t, started);
  return started;
}

interface Place {
  readonly dataDir: string;
  readonly settings?: Settings;
  /** Serves below this path of another address, which a proxy takes off. */
  readonly basePath?: string;
  /** How to start the process; `scripts/burgee` of this checkout unless given. */
  readonly spawn?: typeof spawnBurgee;
  /** The lifetime of the browser, which other stages may share; the stage's own lifetime unless given. */
  readonly browserLifetime?: Lifetime;
}

/** Boots a server over `dataDir`, with a browser; its windows and the server end with `t`. */
export async function setStage(
  t: Lifetime,
  { dataDir, settings, basePath, spawn, browserLifetime = t }: Place,
): Promise<ConsoleStage & { readonly windows: readonly ConsoleWindow[] }> {
  const proxy = basePath === undefined ? null : await startPrefixProxy(t, basePath);
  const server = await bootServer(t, {
    dataDir,
    settings: { ...settings, ...(proxy === null ? {} : { BURGEE_BASE_URL: proxy.url }) },
    ...(spawn === undefined ? {} : { spawn }),
  });
  const browser = await browserOf(browserLifetime);
  proxy?.forward(server.port);
  const origin = proxy?.url ?? `http://127.0.0.1:${server.port}`;
  const windows: ConsoleWindow[] = [];
  const window = async (options: BrowserContextOptions = {}): Promise<ConsoleWindow> => {
    const opened = await openWindow(browser, origin, options);
    t.teardown(() => opened.page.context().close());
    windows.push(opened);
    return opened;
  };
  return { server, origin, windows, window };
}

interface StageOptions {
  readonly settings?: Settings;
  readonly basePath?: string;
  /** Fills the data directory before the server boots. */
  readonly prepare?: (dataDir: string, scratchDir: string) => Promise<void>;
}

/** A test in real windows of a real browser. It fails if `watchPage` found a problem in any of them. */
export function consoleTest(
  parent: Test,
  name: string,
  options: StageOptions,
  run: (t: Test, stage: ConsoleStage) => Promise<void>,
): Promise<unknown> {
  return parent.test(name, { skip: programs.skip }, async (t) => {
    const dataDir = temporaryDirectory(t);
    await options.prepare?.(dataDir, temporaryDirectory(t));
    const stage = await setStage(t, { ...options, dataDir, browserLifetime: parent });
    try {
      await run(t, stage);
    } catch (error) {
      for (const { page, watch } of stage.windows) t.comment(await describePage(page), watch.troubles);
      throw error;
    }
    for (const { watch } of stage.windows) t.same(watch.troubles, [], 'the window had no problem');
  });
}

/** What a failed test prints about a page. */
async function describePage(page: Page): Promise<string> {
  const tree = await page.locator('body').ariaSnapshot();
  return `${page.url()}\n${tree}`;
}
