import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { dialog } from './support/console-steps.ts';
import { findViolations } from './support/find-violations.ts';
import { LongList } from './support/long-list.ts';

t.setTimeout(300_000);

const flagCount = 3_000;
const environmentCount = 40;

async function opened(
  stage: ConsoleStage,
  list: LongList,
  {
    role = 'editor',
    ...options
  }: { role?: 'admin' | 'editor' | 'viewer' } & Parameters<ConsoleStage['window']>[0] = {},
): Promise<ConsoleWindow> {
  const window = await stage.window({ viewport: { width: 1440, height: 900 }, ...options });
  await list.open(window, stage, role);
  return window;
}

async function allRead(page: Page): Promise<void> {
  await page.getByText('3,000 flags', { exact: true }).waitFor();
}

/** Scrolls the list; what is then in view has come when the promise resolves. */
async function scrollList(page: Page, left: number, top: number): Promise<void> {
  await page.getByRole('grid').evaluate(
    (grid, [x, y]) => {
      const frame = (grid as unknown as { parentElement: { scrollTo(left: number, top: number): void } })
        .parentElement;
      frame.scrollTo(x ?? 0, y ?? 0);
    },
    [left, top],
  );
}

/** The name of the control or cell that has the focus, and '' when the page itself has it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`document.activeElement === document.body
    ? ''
    : document.activeElement.ariaLabel ?? document.activeElement.innerText`);
}

function heads(page: Page): Promise<readonly string[]> {
  return page.getByRole('columnheader').allTextContents();
}

const long = new LongList(flagCount, environmentCount);

await consoleTest(
  t,
  'names and production stay in view among 40 environments, and only visible cells are drawn',
  { prepare: long.prepare },
  async (t, stage) => {
    const { page } = await opened(stage, long);
    await allRead(page);
    const grid = page.getByRole('grid', { name: 'Flags' });
    t.match(
      [await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')],
      ['3001', '43'],
    );
    const name = page.getByRole('rowheader', { name: 'flag-01000' });
    await scrollList(page, 0, 1000 * 56);
    const before = await name.boundingBox();
    await scrollList(page, 3000, 1000 * 56);
    await page.getByRole('columnheader', { name: 'region-22' }).waitFor();
    t.same(await name.boundingBox(), before, 'the name has not moved');
    const row = page.getByRole('row').filter({ has: name });
    t.equal(await row.getByRole('switch', { name: 'flag-01000 in production' }).count(), 1);
    const cells = await page.getByRole('gridcell').count();
    t.ok(cells > 50 && cells < 400, `${cells} cells are drawn, of ${flagCount * environmentCount}`);
    t.same((await findViolations(page)).lines, []);
    await page.getByRole('searchbox', { name: 'Search flags' }).fill('flag-02');
    await page.getByText('1,000 of 3,000 flags').waitFor();
    await page.getByRole('rowheader', { name: 'flag-02000' }).waitFor();
    t.equal(await page.evaluate(`document.querySelector('[data-flag-list]').scrollTop`), 0);
  },
);

await consoleTest(
  t,
  'a flag is switched in the list by keyboard, after one Tab, and a protected environment asks',
  { prepare: long.prepare },
  async (t, stage) => {
    const { page } = await opened(stage, long);
    await allRead(page);
    await page.getByRole('searchbox', { name: 'Search flags' }).fill('flag-00003');
    await page.getByText('1 of 3,000 flags').waitFor();
    await page.getByRole('button', { name: 'View' }).focus();
    await page.keyboard.press('Tab');
    t.equal(await focused(page), 'flag-00003', 'the list is one stop of Tab');
    await page.keyboard.press('ArrowRight');
    t.equal(await focused(page), 'flag-00003 in production');
    await page.keyboard.press('Space');
    await dialog(page).getByText('is protected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: 'flag-00003 in production', checked: false }).waitFor();
    t.equal(await focused(page), 'flag-00003 in production', 'the focus is back');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    t.equal(await focused(page), 'flag-00003 in region-40');
    await page.keyboard.press('Home');
    t.match(await focused(page), /Favourite/);
    await page.keyboard.press('Tab');
    t.notMatch(await focused(page), /flag-00003/, 'the next Tab leaves the list');
  },
);

/** Names of the first rows. */
async function firstNames(page: Page, count: number): Promise<readonly string[]> {
  return (await page.getByRole('rowheader').getByRole('link').allTextContents()).slice(0, count);
}

const inPlace = 'rows stay in place until you leave the list';

await consoleTest(
  t,
  'rows stay in place under the focus and the pointer, and a deleted row leaves the focus to the next one',
  { prepare: long.prepare },
  async (t, stage) => {
    const window = await stage.window({ viewport: { width: 1440, height: 900 } });
    const { page } = window;
    await long.open(window, stage, 'editor', '?q=flag-0000&state=on&environment=1');
    await page.getByText('2 of 3,000 flags', { exact: true }).waitFor();
    const own = page.getByRole('switch', { name: 'flag-00004 in region-1', exact: true });
    await own.focus();
    await page.keyboard.press('Space');
    await page.getByText(inPlace).waitFor();
    t.equal(await focused(page), 'flag-00004 in region-1');
    t.same(await firstNames(page, 3), ['flag-00004', 'flag-00009'], 'the row is there, although it is off');
    await page.getByRole('searchbox', { name: 'Search flags' }).focus();
    await page.getByText('1 of 3,000 flags', { exact: true }).waitFor();
    t.same(await firstNames(page, 3), ['flag-00009']);

    await long.open(window, stage, 'editor', '?sort=changed');
    await allRead(page);
    const before = await firstNames(page, 3);
    t.same(before, ['flag-00004', 'flag-02999', 'flag-02998']);
    const gone = page.getByRole('link', { name: 'flag-00004', exact: true });
    const path = new URL((await gone.getAttribute('href')) ?? '', page.url()).pathname;
    await gone.focus();
    await consoleCaller(page)('DELETE', path.replace('/console', ''), { revision: 2, name: 'flag-00004' });
    await gone.waitFor({ state: 'detached' });
    t.equal(await focused(page), 'flag-02999');
    await page.getByRole('searchbox', { name: 'Search flags' }).focus();

    const other = await opened(stage, long);
    await other.page.getByText('2,999 flags', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'flag-02998', exact: true }).hover();
    await other.page.getByRole('switch', { name: 'flag-00001 in region-1', exact: true }).click();
    await page.getByText(inPlace).waitFor();
    t.same(await firstNames(page, 2), ['flag-02999', 'flag-02998']);
    await page.getByRole('heading', { level: 1 }).hover();
    await page.getByText(inPlace).waitFor({ state: 'detached' });
    t.same(await firstNames(page, 2), ['flag-00001', 'flag-02999']);
  },
);

await consoleTest(
  t,
  'columns, density, favourites and saved filters are as they were after a reload',
  { prepare: long.prepare },
  async (t, stage) => {
    const { page } = await opened(stage, long);
    await allRead(page);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByRole('checkbox', { name: 'region-1', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Pin region-3', exact: true }).click();
    await page.getByRole('button', { name: 'Move region-4 to the left' }).click();
    await page.getByText('Compact').click();
    t.same((await findViolations(page)).lines, []);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Favourite: flag-00004' }).click();
    await page.getByLabel('Tag').selectOption('round');
    await page.waitForURL(/tag=round/);
    await page.getByRole('button', { name: 'Remove the tag round' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Remove the tag round' }).waitFor({ state: 'detached' });
    await page.getByLabel('Order').selectOption('On in production first');
    await page.getByRole('button', { name: 'Saved' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters …' }).click();
    await dialog(page).getByLabel('Name').fill('Live ones');
    await dialog(page).getByRole('button', { name: 'Save filters' }).click();
    const shown = async () => {
      await allRead(page);
      const [first, second] = await page.getByRole('rowheader').getByRole('link').allTextContents();
      return { first, second, heads: (await heads(page)).slice(1, 6) };
    };
    const chosen = await shown();
    t.match(chosen, {
      first: 'flag-00004',
      second: 'flag-00003',
      heads: ['Flag', /^production/, 'region-3', 'region-4', 'region-2'],
    });
    await page.reload();
    t.same(await shown(), chosen);
    await page.goto(`${stage.origin}${long.path}`);
    await allRead(page);
    await page.getByRole('button', { name: 'Saved' }).click();
    await page.getByRole('menuitem', { name: 'Live ones' }).click();
    // The address changes first; the list is drawn in the new order as soon as nothing more urgent is to be drawn.
    await page
      .getByRole('rowheader')
      .nth(1)
      .getByRole('link', { name: chosen.second ?? '', exact: true })
      .waitFor();
    t.match(page.url(), /sort=production/);
    t.same(await shown(), chosen);
  },
);

await consoleTest(
  t,
  'on a phone each card begins with production, and switches it after a question',
  { prepare: long.prepare },
  async (t, stage) => {
    const { page } = await opened(stage, long, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await allRead(page);
    const card = page.getByRole('listitem').filter({ hasText: 'flag-00003' });
    t.equal(await card.getByRole('switch').count(), 1, 'the other environments are folded');
    await card.getByText('39 other environments').tap();
    await card
      .getByRole('switch')
      .nth(environmentCount - 1)
      .waitFor();
    await card.getByRole('switch', { name: 'flag-00003 in production' }).tap();
    await dialog(page).getByRole('button', { name: 'Switch off' }).tap();
    await card.getByRole('switch', { name: 'flag-00003 in production', checked: false }).waitFor();
    t.same((await findViolations(page)).lines, []);
  },
);
