import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

const flagCount = 10_000;
/** The limit of drawn rows: the visible rows and a few more, for a list of any length. */
const drawnRowsMax = 80;

const flags = Array.from({ length: flagCount }, (_, index) => ({
  name: `flag-${String(index).padStart(5, '0')}`,
  tags: index % 100 === 0 ? ['round'] : [],
  environments: { staging: { enabled: index % 2 === 0, trafficPercentage: 50 } },
}));
const project = { name: 'shop', environments: ['production', 'staging'], flags };

/**
 * Scrolls through the whole list, one step in each frame.
 *
 * @returns each frame's duration and the highest number of rows
 */
const scrollThrough = `new Promise((resolve) => {
  const frame = document.querySelector('[role=grid]').parentElement;
  const step = frame.scrollHeight / 120;
  const times = [];
  let rows = 0;
  let last = performance.now();
  const onFrame = (now) => {
    times.push(now - last);
    last = now;
    rows = Math.max(rows, frame.querySelectorAll('[role=row]').length);
    if (times.length > 120) resolve({ times, rows });
    else {
      frame.scrollTop += step;
      requestAnimationFrame(onFrame);
    }
  };
  requestAnimationFrame(onFrame);
})`;

async function shown(page: Page): Promise<readonly string[]> {
  return page.getByRole('grid').getByRole('link').allTextContents();
}

await consoleTest(
  t,
  'a list of 10,000 flags draws its visible rows, and has its filters in the address',
  { prepare: provision(project) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByText('10,000 flags', { exact: true }).waitFor();
    t.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(flagCount + 1));

    const { times, rows } = (await page.evaluate(scrollThrough)) as { times: number[]; rows: number };
    const sorted = times.toSorted((left, right) => left - right);
    t.comment(`frames while scrolling: median ${sorted[60]} ms, 95th percentile ${sorted[114]} ms`);
    t.ok(rows < drawnRowsMax, `${rows} rows`);
    await page.getByRole('link', { name: 'flag-09999' }).waitFor();

    // Two words, a tag and a state are in the address together, and the same after a reload.
    await page.getByRole('searchbox', { name: 'Search flags' }).fill('FLAG-04 ROUND');
    await page.getByLabel('Tag', { exact: true }).selectOption('round');
    await page.getByLabel('State', { exact: true }).selectOption('on');
    await page.getByLabel('Environment of the state', { exact: true }).selectOption('in staging');
    await page.getByText('10 of 10,000 flags').waitFor();
    const { searchParams } = new URL(page.url());
    t.match(Object.fromEntries(searchParams), { q: 'FLAG-04 ROUND', tag: 'round', state: 'on' });
    const found = await shown(page);
    t.ok(found.includes('flag-04200'));
    await page.reload();
    await page.getByText('10 of 10,000 flags').waitFor();
    t.same(await shown(page), found);
    await page.getByLabel('State', { exact: true }).selectOption('off');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('10,000 flags', { exact: true }).waitFor();
  },
);
