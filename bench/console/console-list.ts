import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { findWholeChromium, startChromium } from '../../test/browser/support/start-chromium.ts';
import type { ConsoleClient } from '../../test/console/console-client.ts';
import { manyEnvironments, manyFlags } from '../../test/console/many-flags.ts';
import { PreparedStore } from '../../test/console/prepared-store.ts';
import { creationOf, flagChangeOf, projectOf } from '../../test/storage/support/records.ts';
import { bootServer } from '../../test/support/booted-server.ts';
import type { Lifetime } from '../../test/support/lifetime.ts';

export const latencyMs = 20;
const bytesPerSecond = 10_000_000 / 8;
const cpuSlowdown = 4;
/** A longer frame is a visible jump at 60 Hz. */
const frameMsMax = 20;
const framesScrolled = 180;
const pixelsPerFrame = 90;
const waitMs = 120_000;

/** When rows were drawn, in milliseconds since 1970. */
interface Noted {
  readonly began: number;
  /** The first frame with names of flags in it. */
  readonly firstRows: number;
  readonly allRows: number;
}

/**
 * Runs in the page before the page's own scripts. The first row counts when it shows a flag's name as a link to the flag's
 * page, within the window, in a frame that was drawn.
 *
 * @param total the page's text when it has all flags
 * @param names of the project's flags
 */
function noteRows(total: string, names: readonly string[]): string {
  return `{
    const noted = (globalThis.notedRows = { began: performance.timeOrigin });
    const now = () => performance.timeOrigin + performance.now();
    const names = new Set(${JSON.stringify(names)});
    let isSeen = false;
    const isFlag = (link) => {
      const { top, height } = link.getBoundingClientRect();
      const leads = /[/]projects[/]\\w+[/]flags[/]\\w+$/.test(link.getAttribute('href'));
      return leads && names.has(link.textContent) && height > 0 && top < innerHeight;
    };
    const look = () => {
      const links = Array.from(document.querySelectorAll('[role=grid] [role=rowheader] a'));
      isSeen = links.some(isFlag);
      // The task after a frame's callback runs when the frame is drawn.
      if (isSeen) requestAnimationFrame(() => setTimeout(() => (noted.firstRows ??= now())));
    };
    new MutationObserver(() => {
      if (!isSeen) look();
      const texts = Array.from(document.querySelectorAll('[role=status]'), (status) => status.textContent.trim());
      if (texts.includes(${JSON.stringify(total)})) noted.allRows ??= now();
    }).observe(document, { childList: true, subtree: true, characterData: true });
  }`;
}

/** Waits for the frame with the first rows. The value is what {@link noteRows} has noted. */
const drawnRows = `(async () => {
  while (notedRows.firstRows === undefined) await new Promise((resolve) => setTimeout(resolve));
  return notedRows;
})()`;

/** Scrolls the list. The value is how long each frame took, in milliseconds. */
const scrollFrames = `(async () => {
  const scrolled = document.querySelector('[role=grid]').parentElement;
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const took = [];
  let before = await next();
  for (let index = 0; index < ${framesScrolled}; index += 1) {
    scrolled.scrollTop += ${pixelsPerFrame};
    const at = await next();
    took.push(at - before);
    before = at;
  }
  if (scrolled.scrollTop === 0) throw new Error('the list does not scroll');
  scrolled.scrollTop = 0;
  return took;
})()`;

/** Bytes that come over the network, with the time at which each came. */
class WireBytes {
  readonly #received: { readonly at: number; readonly bytes: number }[] = [];
  /** Seconds to add to the browser's clock for the time since 1970. */
  #offset = 0;

  async watch(session: CDPSession): Promise<void> {
    session.on('Network.requestWillBeSent', ({ wallTime, timestamp }) => {
      this.#offset = wallTime - timestamp;
    });
    session.on('Network.responseReceived', ({ timestamp, response }) => {
      this.#received.push({ at: timestamp, bytes: response.encodedDataLength });
    });
    session.on('Network.dataReceived', ({ timestamp, encodedDataLength }) => {
      this.#received.push({ at: timestamp, bytes: encodedDataLength });
    });
    await session.send('Network.enable');
  }

  /** @param until milliseconds since 1970 */
  sum(until: number = Number.POSITIVE_INFINITY): number {
    const before = this.#received.filter(({ at }) => (at + this.#offset) * 1000 <= until);
    return before.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** The list, opened in a window. */
export class OpenedList {
  readonly firstRowsMs: number;
  readonly firstBytes: number;
  readonly allRowsMs: number;
  readonly allBytes: number;
  readonly #page: Page;
  readonly #wire: WireBytes;
  readonly #change: (text: string) => Promise<void>;

  constructor(page: Page, wire: WireBytes, times: Noted, change: (text: string) => Promise<void>) {
    this.#page = page;
    this.#wire = wire;
    this.#change = change;
    this.firstRowsMs = times.firstRows - times.began;
    this.firstBytes = wire.sum(times.firstRows);
    this.allRowsMs = times.allRows - times.began;
    this.allBytes = wire.sum(times.allRows);
  }

  /** @returns the percentage of frames in time */
  async scroll(): Promise<number> {
    const took: readonly number[] = await this.#page.evaluate(scrollFrames);
    return (100 * took.filter((ms) => ms < frameMsMax).length) / took.length;
  }

  /** Another user changes the first flag of the list. @returns bytes until the page shows the change */
  async change(): Promise<number> {
    const text = `changed at ${Date.now()}`;
    const before = this.#wire.sum();
    await this.#change(text);
    await this.#page.getByText(text).first().waitFor({ timeout: waitMs });
    return this.#wire.sum() - before;
  }

  close(): Promise<void> {
    return this.#page.context().close();
  }
}

/** The list of a project, to be opened in a browser. */
export interface ConsoleList {
  open(): Promise<OpenedList>;
  /** @returns milliseconds for one page of 1,000 flags, without a browser */
  timePage(): Promise<number>;
}

/** @returns the list of a project of each size, all from one server and in one browser */
export async function openConsoleLists(
  t: Lifetime,
  sizes: readonly number[],
  environmentCount: number,
): Promise<readonly ConsoleList[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'burgee-console-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const prepared = new PreparedStore();
  const memberId = prepared.addMember('owner');
  const projects = sizes.map((size) => addProject(prepared, size, environmentCount));
  await prepared.write(dataDir);
  const { port } = await bootServer(t, { dataDir });
  const client = prepared.client(t, port, memberId);
  const programs = findWholeChromium();
  if (programs.skip !== false) throw new Error(programs.skip);
  const browser = await startChromium(t, programs);
  return projects.map(({ id, names }) => {
    const list = `/projects/${id}/flags`;
    const change = (text: string): Promise<void> => changeFirst(client, list, text);
    return {
      open: () => open(browser, client, `/console${list}`, names, change),
      timePage: async () => {
        const before = performance.now();
        const coding = { 'accept-encoding': 'br' };
        const { status } = await client.send('GET', `${list}?limit=1000`, undefined, coding);
        if (status !== 200) throw new Error(`the list answers ${status}`);
        return performance.now() - before;
      },
    };
  });
}

interface ListedProject {
  readonly id: string;
  readonly names: readonly string[];
}

function addProject(prepared: PreparedStore, flagCount: number, environmentCount: number): ListedProject {
  const project = projectOf(prepared.organisation.id, {
    ...{ name: `project of ${flagCount}`, isMultiEnvironment: true },
    ...manyEnvironments(environmentCount),
  });
  const flags = manyFlags(project, flagCount);
  prepared.add([creationOf('project', project), ...flags.map((flag) => flagChangeOf(null, flag))]);
  return { id: project.id, names: flags.map(({ name }) => name) };
}

async function open(
  browser: Browser,
  { origin, cookies }: ConsoleClient,
  path: string,
  names: readonly string[],
  change: (text: string) => Promise<void>,
): Promise<OpenedList> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await context.addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: origin })));
  const total = `${names.length.toLocaleString('en')} flags`;
  await context.addInitScript(noteRows(total, names));
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const wire = new WireBytes();
  await wire.watch(session);
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: latencyMs },
    ...{ downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond },
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.goto(origin + path);
  await page.locator('[role=status]', { hasText: new RegExp(`^${total}$`) }).waitFor({ timeout: waitMs });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const noted: Noted = await page.evaluate(drawnRows);
  return new OpenedList(page, wire, noted, change);
}

/** @param list path of the list's operation */
async function changeFirst(client: ConsoleClient, list: string, text: string): Promise<void> {
  const { flags } = (await client.send('GET', `${list}?limit=1`)).json;
  const { id, revision } = flags[0];
  const body = { revision, description: text };
  const { status } = await client.send('PATCH', `${list}/${id}`, body);
  if (status !== 200) throw new Error(`a change is answered with ${status}`);
}
