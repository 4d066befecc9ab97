import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

const viewer = { name: 'Vera Viewer', email: 'vera@example.test', password: 'another horse battery staple' };
const states = [
  { enabled: true, trafficPercentage: 100 },
  { enabled: true, trafficPercentage: 0 },
  { enabled: false, trafficPercentage: 50 },
  { enabled: true, trafficPercentage: 25, cohorts: ['beta', 'staff'] },
];
const project = {
  name: 'shop',
  environments: ['production', ...Array.from({ length: 8 }, (_, index) => `preview-${index}`)],
  flags: Array.from({ length: 40 }, (_, index) => ({
    name: `flag-${String(index).padStart(2, '0')}${index === 3 ? '\u00ad' : ''}`,
    description: index % 3 === 0 ? 'Moves the banner to the new service' : '',
    tags: Array.from({ length: index % 5 }, (_, tag) => `tag-${tag}`),
    environments: Object.fromEntries(
      ['production', 'preview-0', 'preview-1', 'preview-2'].map((name, at) => [
        name,
        states[(index + at) % states.length],
      ]),
    ),
  })),
};

/**
 * The console waits for its first rows only as long as a timer of `first-rows.tsx`, which on a busy machine ends before
 * they are there. Here it never ends.
 */
const waitForRows = `(() => {
  const { setTimeout } = window;
  window.setTimeout = (done, ms, ...values) => (ms === 600 ? 0 : setTimeout(done, ms, ...values));
})()`;

/** Opens the list again, with the console's own script held back. @returns what lets it come */
async function holdConsole(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/console-[^/]+[.]js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.addInitScript(waitForRows);
  await page.reload({ waitUntil: 'commit' });
  await page.locator('#first-rows [role=rowheader]').first().waitFor();
  return release;
}

type Drawn = readonly (string | number)[];

/** The elements that one sees below another: kind, words, place, size, colours. */
function drawnIn(page: Page, place: string): Promise<readonly Drawn[]> {
  return page.evaluate(`(() => {
    const shown = 'nav a, nav button, nav h2, nav svg, [role=grid] :not([role=row], [role=rowgroup])';
    return Array.from(document.querySelector('${place}').querySelectorAll(shown))
      .map((element) => ({ element, box: element.getBoundingClientRect(), style: getComputedStyle(element) }))
      .filter(({ box }) => box.width > 0 && box.height > 0)
      .map(({ element, box, style }) => [
        element.tagName,
        element.getAttribute('aria-label') ?? element.textContent,
        ...[box.x, box.y, box.width, box.height].map(Math.round),
        ...[style.color, style.backgroundColor, style.fontSize, style.fontWeight],
      ]);
  })()`);
}

/** Keeps in the window whether there were first rows. */
const noteFirstRows = `new MutationObserver(() => {
  if (document.querySelector('#first-rows') !== null) sessionStorage.setItem('first-rows', 'shown');
}).observe(document, { childList: true, subtree: true })`;

for (const [who, colorScheme, width] of [
  [owner, 'light', 1280],
  [viewer, 'dark', 1440],
] as const) {
  await consoleTest(
    t,
    `the first rows are those that the console shows, for ${who.name} in ${colorScheme}`,
    { prepare: provision(project, { members: [{ ...viewer, role: 'viewer' }] }) },
    async (t, stage) => {
      const window = await stage.window({ colorScheme, viewport: { width, height: 900 } });
      const { page } = window;
      await signIn(window, who);
      await page.getByText('40 flags', { exact: true }).waitFor();

      const release = await holdConsole(page);
      const first = page.locator('#first-rows').getByRole('grid');
      t.equal(await page.getByRole('status').count(), 0, 'nothing is announced that the console announces');
      const words = await first.ariaSnapshot();
      const drawn = await drawnIn(page, '#first-rows');
      t.ok(drawn.length > 200, `${drawn.length} elements`);
      t.match(words, /rowheader "flag-00/);

      release();
      await page.locator('#first-rows').waitFor({ state: 'detached' });
      const later = new Set((await drawnIn(page, '#root')).map((each) => JSON.stringify(each)));
      t.same(
        drawn.filter((each) => !later.has(JSON.stringify(each))),
        [],
        'each element is where it was, and looks as it did',
      );
      // The console has some more rows and columns beyond the edges.
      const all = new Set(
        (await page.getByRole('grid').ariaSnapshot()).split('\n').map((line) => line.trim()),
      );
      const cells = words.split('\n').map((line) => line.trim());
      t.same(
        cells.filter((line) => !/^- '?row /.test(line) && !all.has(line)),
        [],
        'names and states are the same',
      );
    },
  );
}

await consoleTest(
  t,
  'what was scrolled, focused and pressed in the first rows goes on in the console',
  { prepare: provision(project) },
  async (t, stage) => {
    const window = await stage.window({ viewport: { width: 1440, height: 600 } });
    const { page } = window;
    await signIn(window, owner);
    await page.getByText('40 flags', { exact: true }).waitFor();

    const release = await holdConsole(page);
    await page.evaluate("document.querySelector('[data-flag-list]').scrollTo({ top: 400, left: 164 })");
    await page.locator('#first-rows [data-row="8"]').waitFor();
    const control = page.getByRole('switch', { name: 'flag-10 in preview-1' });
    const before = await control.getAttribute('aria-checked');
    await control.click();
    const link = page.getByRole('link', { name: 'flag-11' });
    t.match(
      await link.getAttribute('href'),
      /^\/console\/projects\/\w+\/flags\/\w+$/,
      'it leads to the flag',
    );
    await link.focus();

    release();
    await page.locator('#first-rows').waitFor({ state: 'detached' });
    t.same(
      await page.evaluate(
        `(({ scrollTop, scrollLeft }) => ({ scrollTop, scrollLeft }))(document.querySelector('[data-flag-list]'))`,
      ),
      { scrollTop: 400, scrollLeft: 164 },
      'the list is where it was scrolled to',
    );
    t.equal(await page.evaluate('document.activeElement.title'), 'flag-11', 'the link has the focus');
    await page.getByText(/^flag-10 is o(n|ff) in preview-1/).waitFor();
    t.not(await control.getAttribute('aria-checked'), before, 'the pressed switch was switched');
  },
);

await consoleTest(
  t,
  "the palette's keys, and what is typed after them, are kept for the console",
  { prepare: provision(project) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByText('40 flags', { exact: true }).waitFor();

    const release = await holdConsole(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('flag-2');
    release();
    const input = page.getByRole('combobox', { name: /^Flag, page or action/ });
    await input.waitFor();
    await page
      .getByRole('option', { name: /^flag-20/ })
      .first()
      .waitFor();
    t.equal(await input.inputValue(), 'flag-2');
  },
);

await consoleTest(
  t,
  'there are no first rows where the console shows something else',
  { prepare: provision(project) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await page.addInitScript(noteFirstRows);
    await signIn(window, owner);
    await page.getByText('40 flags', { exact: true }).waitFor();
    const wasShown = () => page.evaluate("sessionStorage.getItem('first-rows')");
    t.equal(await wasShown(), null, 'not on the way through the sign-in page');
    const { pathname } = new URL(page.url());
    await window.open(`${pathname}?q=flag-1`);
    await page.getByText('10 of 40 flags').waitFor();
    t.equal(await wasShown(), null, 'not for a search');
    await window.open(pathname.replace('/flags', '/audiences'));
    await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor();
    t.equal(await wasShown(), null, 'not on another page');
    await window.open(pathname);
    await page.getByText('40 flags', { exact: true }).waitFor();
    t.equal(await wasShown(), 'shown');
  },
);
