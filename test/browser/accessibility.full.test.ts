import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { type FindViolations, withAxe } from './support/find-violations.ts';
import { demoSettings, furnishDemo, makeDemo, openDemo, openJoined } from './support/furnished-demo.ts';
import type { Screen } from './support/screen.ts';
import { commonScreens, screensOf } from './support/screens.ts';
import { setColours } from './support/set-colours.ts';

t.setTimeout(900_000);

/**
 * Runs in the page. @returns the names of buttons that are cut off at a side by what they stand in, or by the window. The
 * list of flags is left out, which scrolls to further environments.
 */
const cutOffButtons = `
  [...document.querySelectorAll('main button:not([role=grid] *)')].filter((button) => {
    const { left, right } = button.getBoundingClientRect();
    for (let place = button.parentElement; place !== null; place = place.parentElement) {
      const box = place.getBoundingClientRect();
      const clips = getComputedStyle(place).overflowX !== 'visible' || place === document.body;
      if (clips && (left < box.left - 1 || right > box.right + 1)) return true;
    }
    return false;
  }).map((button) => button.textContent)`;

/**
 * Runs in the page. Goes to a path within the console, whose router notices it. Ends when the main part is another than
 * before, and nothing of it is still being loaded.
 */
const move = (path: string): string => `new Promise((resolve, reject) => {
  const textOf = () => document.querySelector('main')?.textContent;
  const before = textOf();
  const deadline = performance.now() + 60_000;
  history.pushState(null, '', ${JSON.stringify(path)});
  const look = () => {
    // A tab that is not chosen is not read.
    const states = [...document.querySelectorAll('main [role=status]')].filter((state) => state.checkVisibility());
    const isLoading = states.some(({ textContent }) => textContent.startsWith('Loading'));
    if (!isLoading && textOf() !== before) resolve();
    else if (performance.now() > deadline) reject(new Error('the page stays what it was'));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/**
 * The colours change while the page is open, as when a system turns dark in the evening, and light in the morning: each
 * screen is opened in those of the screen before. Rules that do not depend on colours are checked once.
 */
async function checkShown(t: Test, page: Page, screen: Screen, find: FindViolations): Promise<void> {
  t.same(await page.evaluate(cutOffButtons), [], `${screen.name}: no button is cut off`);
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const [present, next] = isDark === true ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  for (const colorScheme of [present, next] as const) {
    await setColours(page, colorScheme);
    const { passed, lines } = await find({ isAtColours: colorScheme === next });
    t.ok(passed > 0, `${screen.name}, ${colorScheme}: axe has checked something`);
    t.same(lines, [], `${screen.name}, ${colorScheme}: without violations`);
  }
}

async function checkScreen(t: Test, { page, open, watch }: ConsoleWindow, screen: Screen): Promise<void> {
  watch.expectStatus(...(screen.refusals ?? []));
  await open(screen.path);
  await screen.show(page);
  await withAxe(page, (find) => checkShown(t, page, screen, find));
}

/**
 * Goes from screen to screen within the console, as its links do. The console and axe are loaded and compiled once then,
 * instead of for each screen.
 */
async function checkInTurn(
  t: Test,
  { page, open }: ConsoleWindow,
  [first, ...others]: readonly Screen[],
): Promise<void> {
  if (first === undefined) throw new Error('there are no screens');
  await open(first.path);
  await first.show(page);
  await withAxe(page, async (find) => {
    await checkShown(t, page, first, find);
    for (const screen of others) {
      await page.evaluate(move(screen.path));
      await screen.show(page);
      await checkShown(t, page, screen, find);
    }
  });
}

let link = '';
const prepare = async (dataDir: string): Promise<void> => {
  link = await makeDemo(dataDir);
};

await consoleTest(
  t,
  'axe finds no violation on any screen, and none of its colours in the dark',
  { prepare, settings: demoSettings },
  async (t, stage) => {
    const first = await openDemo(stage, link);
    const screens = screensOf(await furnishDemo(t, stage, first.page));
    const storageState = await first.page.context().storageState();
    const checkAll = async (window: ConsoleWindow, queue: Screen[]): Promise<void> => {
      for (let screen = queue.shift(); screen !== undefined; screen = queue.shift()) {
        await checkScreen(t, window, screen);
      }
    };
    const members = screens.filter(({ isPublic }) => isPublic !== true);
    const guests = screens.filter(({ isPublic }) => isPublic === true);
    // Two at a time: machines that run this rarely have more cores.
    const second = await stage.window({ storageState });
    await Promise.all([checkAll(first, members), checkAll(second, members)]);
    await checkAll(await stage.window(), guests);
  },
);

await consoleTest(
  t,
  'axe finds no violation on what an Admin, an Editor and a Viewer see',
  { prepare, settings: demoSettings },
  async (t, stage) => {
    const owner = await openDemo(stage, link);
    const screens = commonScreens(await furnishDemo(t, stage, owner.page));
    const call = consoleCaller(owner.page);
    const roles = ['admin', 'editor', 'viewer'] as const;
    await Promise.all(
      roles.map(async (role) => {
        const window = await openJoined(stage, call, role, `another-${role}@demo.example`);
        await checkInTurn(
          t,
          window,
          screens.map((screen) => ({ ...screen, name: `${role}: ${screen.name}` })),
        );
      }),
    );
  },
);
