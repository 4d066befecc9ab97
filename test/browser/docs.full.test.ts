import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { withAxe } from './support/find-violations.ts';
import { setColours } from './support/set-colours.ts';

/* The documentation, read and searched in a browser. */
t.setTimeout(120_000);

await consoleTest(
  t,
  'the keyboard alone finds a section, below a path too',
  { basePath: '/shared/burgee' },
  async (t, stage) => {
    const { page, open } = await stage.window();
    const found = page.locator('.found');
    await open('/docs/install');
    await page.keyboard.press('/');
    await page.keyboard.type('rate limit');
    await found.getByText(/^\d+ found$/).waitFor();
    const section = found.locator('a:focus', { hasText: 'Too many requests' });
    for (let step = 0; step < 12 && (await section.count()) === 0; step += 1)
      await page.keyboard.press('ArrowDown');
    t.match(await section.textContent(), /^Reference › .*Too many requests.* limit /s);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stage.origin}/docs/errors#too-many-requests`);
    t.equal(await found.isVisible(), false);

    // Half of a word, and a wrong letter.
    for (const query of ['kuberne', 'backuq']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(query);
      await found.getByText(/^\d+ found$/).waitFor();
      await page.keyboard.press('Escape');
      await found.waitFor({ state: 'hidden' });
    }
    await page.keyboard.press('/');
    await page.keyboard.type('qqqqqqqqqq');
    await found.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');

    await open('/docs#plan-required');
    await page.waitForURL(`${stage.origin}/docs/errors#plan-required`);
  },
);

await consoleTest(t, 'a block of code is copied, and of a session its commands', {}, async (t, stage) => {
  const { page, open } = await stage.window({ permissions: ['clipboard-read'] });
  const copied = async (language: string, number: number): Promise<unknown> => {
    const block = page.locator('.code', { has: page.locator(`.language-${language}`) }).nth(number);
    const button = block.getByRole('button');
    await button.focus();
    await page.keyboard.press('Enter');
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    t.equal(await button.getAttribute('aria-live'), 'polite', 'it is announced');
    return page.evaluate('navigator.clipboard.readText()');
  };
  await open('/docs/cluster');
  t.equal(await copied('console', 0), 'burgee cluster status\n');
  await open('/docs/api');
  const text = await page.locator('.language-json').first().textContent();
  t.equal(await copied('json', 0), text);
});

await consoleTest(t, 'a narrow window without scripts has the menu, and no search', {}, async (t, stage) => {
  const viewport = { width: 320, height: 640 };
  const { page, open } = await stage.window({ viewport, javaScriptEnabled: false });
  await open('/docs');
  const menu = page.getByRole('navigation', { name: 'Documentation' });
  t.equal(await menu.isVisible(), false);
  await page.getByRole('button', { name: 'Menu' }).click();
  await menu.getByRole('link', { name: 'Limits' }).click();
  await page.waitForURL(`${stage.origin}/docs/limits`);
  t.equal(await page.getByRole('searchbox').isVisible(), false);
  await page.getByRole('button', { name: 'On this page' }).click();
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('navigation', { name: 'On this page' }).waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.not(page.url(), `${stage.origin}/docs/limits`);
});

await consoleTest(t, 'pages are accessible, and fit windows of all widths', {}, async (t, stage) => {
  for (const width of [320, 1440])
    for (const path of ['/docs', '/docs/cluster']) {
      const { page, open } = await stage.window({ viewport: { width, height: 900 } });
      await open(path);
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'nothing is wider');
      await page.keyboard.press('/');
      await page.keyboard.type('backup');
      await page.locator('.found a').first().waitFor();
      await withAxe(page, async (find) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await setColours(page, colorScheme);
          const { passed, lines } = await find({ isAtColours: colorScheme === 'dark' });
          t.ok(passed > 0);
          t.same(lines, [], `${path}, ${width}, ${colorScheme}: without violations`);
        }
      });
    }
});
