import type { Page, Request } from 'playwright-core';
import t, { type Test } from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { anotherMember, prepareShop, shopAdmin } from './support/another-member.ts';
import { layCable } from './support/cable.ts';
import { type ConsoleStage, consoleTest } from './support/console-stage.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(600_000);

interface Tabs {
  readonly pages: readonly Page[];
  /** Number of streams of changes that the tabs hold. */
  streams(): number;
}

/** Opens tabs of one browser with one session. @param origin of the addresses; the stage's unless given */
async function openTabs(
  stage: ConsoleStage,
  count: number,
  { origin = stage.origin, prepareTab }: { origin?: string; prepareTab?: (page: Page) => Promise<void> } = {},
): Promise<Tabs> {
  const window = await stage.window();
  const { page, watch } = window;
  watch.expectOrigin(origin);
  // A stream that is cut, and requests without a server.
  watch.expectMessage(/net::ERR_|Failed to load resource/);
  watch.expectStatus(401, 503);
  const open = new Set<Request>();
  const context = page.context();
  context.on('request', (request) => {
    if (/\/events\?/.test(request.url())) open.add(request);
  });
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  await prepareTab?.(page);
  await signIn({ ...window, open: async (path) => void (await page.goto(`${origin}${path}`)) }, owner);
  await flagLink(page, 'checkout').waitFor();
  const pages = [page];
  while (pages.length < count) {
    const tab = await context.newPage();
    await prepareTab?.(tab);
    await tab.goto(page.url());
    await flagLink(tab, 'checkout').waitFor();
    pages.push(tab);
  }
  const streams = () => [...open].filter((request) => !request.frame().page().isClosed()).length;
  return { pages, streams };
}

function flagLink(page: Page, name: string) {
  return page.getByRole('link', { name, exact: true });
}

/** Every tab shows the flag, once. */
async function areAllShowing(t: Test, pages: readonly Page[], name: string): Promise<void> {
  await Promise.all(pages.map((page) => flagLink(page, name).waitFor()));
  const counts = await Promise.all(pages.map((page) => flagLink(page, name).count()));
  t.same(
    counts,
    pages.map(() => 1),
    `${name} is shown once in each of ${pages.length} tabs`,
  );
}

function banner(page: Page) {
  return page.getByRole('status', { name: 'Live updates' }).filter({ hasText: 'Live updates are paused' });
}

for (const count of [5, 8]) {
  await consoleTest(t, `${count} tabs are live by one stream`, { prepare: prepareShop }, async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const { pages, streams } = await openTabs(stage, count);
    await other.create('gift-cards');
    await areAllShowing(t, pages, 'gift-cards');
    t.equal(streams(), 1);
    for (const page of pages) t.equal(await banner(page).count(), 0);
  });
}

await consoleTest(
  t,
  'when the tab with the stream closes, another takes over and loses nothing',
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const { pages, streams } = await openTabs(stage, 5);
    const left = [...pages];
    for (const name of ['one', 'two', 'three']) {
      const leader = left.shift();
      await Promise.all([leader?.close(), other.create(name)]);
      await areAllShowing(t, left, name);
    }
    t.equal(streams(), 1);
  },
);

await consoleTest(t, 'a tab that joins late misses nothing', { prepare: prepareShop }, async (t, stage) => {
  const other = await anotherMember(t, stage.server.port);
  const { pages } = await openTabs(stage, 2);
  const [first] = pages as [Page];
  // It has read the members, and asks for changes only when it knows the projects.
  const late = await first.context().newPage();
  const letCome = await holdAnswers(late, '**/console/api/projects');
  await late.goto(`${stage.origin}/console/members`);
  await late.getByRole('main').getByText(shopAdmin.email).waitFor();
  await other.ask('POST', '/invitations', { email: 'guest@example.test', role: 'viewer' });
  await other.create('gift-cards');
  await areAllShowing(t, pages, 'gift-cards');
  t.equal(await late.getByText('guest@example.test').count(), 0, 'it does not know yet');
  letCome();
  await late.getByRole('main').getByText('guest@example.test').waitFor();
});

await consoleTest(
  t,
  'a lost connection and a killed server are survived by five tabs',
  { prepare: prepareShop },
  async (t, stage) => {
    const cable = await layCable(t, stage.server.port);
    const { pages, streams } = await openTabs(stage, 5, { origin: cable.origin });
    const other = await anotherMember(t, stage.server.port);
    cable.cut();
    await other.create('while-cut');
    await Promise.all(pages.map((page) => banner(page).waitFor()));
    cable.plug(stage.server.port);
    await areAllShowing(t, pages, 'while-cut');
    await Promise.all(pages.map((page) => banner(page).waitFor({ state: 'detached' })));

    cable.cut();
    stage.server.signal('SIGKILL');
    await stage.server.ended;
    const again = await bootServer(t, { dataDir: stage.server.dataDir });
    const later = await anotherMember(t, again.port);
    await later.create('while-dead');
    cable.plug(again.port);
    await areAllShowing(t, pages, 'while-dead');
    t.equal(streams(), 1);
    await again.stop();
  },
);

await consoleTest(
  t,
  'the end of the session reaches every tab',
  { prepare: prepareShop },
  async (t, stage) => {
    const mine = await anotherMember(t, stage.server.port, owner);
    const { pages } = await openTabs(stage, 5);
    const { sessions } = await mine.ask('GET', '/sessions');
    const theirs = sessions.filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    for (const { id } of theirs) await mine.ask('DELETE', `/sessions/${id}`);
    await Promise.all(pages.map((page) => page.waitForURL(/\/console\/sign-in/)));
    t.pass('each leads to the sign-in page');
  },
);

await consoleTest(
  t,
  'a browser without locks has a stream in each tab, and the fifth tab says why it is not live',
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const prepareTab = async (page: Page): Promise<void> => {
      await page.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })");
    };
    const { pages, streams } = await openTabs(stage, 5, { prepareTab });
    const fifth = pages[4] as Page;
    await banner(fifth).waitFor();
    t.match(
      await banner(fifth).textContent(),
      /paused\. Too many live pages are open in this browser: close other tabs, first those of other projects\./,
    );
    // The fifth tab may be asking for its stream once more, and be refused.
    await eventually(() => streams() === 4, 20_000, 'four tabs have a stream');
    await other.create('gift-cards');
    await areAllShowing(t, pages.slice(0, 4), 'gift-cards');
    await pages[0]?.close();
    await banner(fifth).waitFor({ state: 'detached' });
    await areAllShowing(t, [fifth], 'gift-cards');
  },
);
