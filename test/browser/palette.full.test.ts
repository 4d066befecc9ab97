import { performance } from 'node:perf_hooks';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { consoleCaller } from './support/console-caller.ts';
import { type ConsoleStage, consoleTest } from './support/console-stage.ts';
import { dialog, notice } from './support/console-steps.ts';
import { applied } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

/** The bound for the whole way, from a page that is open. */
const hurryMs = 10_000;

const isOn = { enabled: true, trafficPercentage: 100 };
const isOff = { enabled: false, trafficPercentage: 100 };
const [production, staging] = ['production', 'staging'];

function projectOf(name: string, flags: readonly object[]): object {
  return { name, environments: [production, staging], protectedEnvironments: [production], flags };
}

const others = Array.from({ length: 60 }, (_, index) => ({
  name: `other-${String(index).padStart(2, '0')}`,
  environments: { production: isOff },
}));
const billing = projectOf('billing', [
  { name: 'invoices', environments: { production: isOn, staging: isOff } },
  { name: 'twin', environments: { production: isOff } },
]);
const prepare = applied({
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ ...owner, role: 'owner' }],
      projects: [projectOf('archive', others), billing, projectOf('shop', [{ name: 'checkout' }])],
    },
  ],
});

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Asks the Evaluation API for the flag, as an application does. */
async function isOnInProduction(
  t: Test,
  { server }: ConsoleStage,
  page: Page,
  name: string,
): Promise<boolean> {
  const call = consoleCaller(page);
  const { results } = await call<{ results: Named[] }>('GET', `/search?q=${name}`);
  const id = results.find((result) => result.name === name)?.id;
  const { text } = await createHttpClient(t, { port: server.port }).send({
    path: `/v1/flags/${id}?env=production&targetingKey=someone`,
  });
  return (JSON.parse(text) as { enabled: boolean }).enabled;
}

/** Is at the flags of another project, as somebody who has just signed in. */
async function enter(stage: ConsoleStage, options?: object): Promise<Page> {
  const window = await stage.window(options);
  await signIn(window, owner);
  await window.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  await window.page.goto(`${stage.origin}/console/projects`);
  await window.page.getByRole('main').getByRole('link', { name: 'shop', exact: true }).click();
  await window.page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
  return window.page;
}

function invoicesSwitch(page: Page) {
  return dialog(page).getByRole('switch', { name: 'invoices in production, billing' });
}

/** The part of a switch that can be pressed: its input has no size. */
function pressed(control: Locator): Locator {
  return control.locator('xpath=ancestor::label');
}

const offTitle = 'Switch off in production?';

/** On a busy machine a dialog is there before its button has the focus. */
function hasFocus(page: Page, button: string): Promise<void> {
  return page
    .locator(':focus')
    .and(page.getByRole('button', { name: button }))
    .waitFor();
}

/** Does the steps and counts them. @returns the page's actions, by what a person does */
async function inAHurry(t: Test, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const began = performance.now();
  for (const step of steps) await step();
  const tookMs = performance.now() - began;
  t.ok(tookMs < hurryMs, `it took ${Math.round(tookMs)} ms`);
}

await consoleTest(
  t,
  'any flag is switched off in production by the keyboard, from any page',
  { prepare },
  async (t, stage) => {
    const page = await enter(stage);
    t.equal(await isOnInProduction(t, stage, page, 'invoices'), true);
    let keys = 0;
    const press = async (key: string): Promise<void> => {
      keys += 1;
      await page.keyboard.press(key);
    };
    await inAHurry(t, [
      () => press('Control+k'),
      async () => {
        for (const key of 'invo') await press(key);
      },
      () => page.getByRole('option', { name: /^invoices/, selected: true }).waitFor(),
      () => press('Control+Enter'),
      () => page.getByRole('dialog', { name: offTitle }).waitFor(),
      () => hasFocus(page, 'Switch off'),
      () => press('Enter'),
      () => notice(page, 'invoices is off in production.').waitFor(),
    ]);
    t.equal(keys, 7, 'Ctrl+K, four letters, Ctrl+Enter, Enter');
    t.equal(await isOnInProduction(t, stage, page, 'invoices'), false);
    t.equal(await invoicesSwitch(page).isChecked(), false, 'the palette is still there, and shows it');
    await page.getByRole('option', { name: /^invoices.*Off/, selected: true }).waitFor();
    t.match(page.url(), /projects/, 'and the page behind it is the same');

    // Tab leads to the switch of the chosen row, and Escape back to where the palette was opened.
    await page.keyboard.press('Tab');
    t.match(await page.locator(':focus').ariaSnapshot(), /switch "invoices in production, billing"/);
    await page.keyboard.press('Space');
    await hasFocus(page, 'Switch on');
    await page.keyboard.press('Enter');
    await notice(page, /^invoices is on in production/).waitFor();
    t.equal(await isOnInProduction(t, stage, page, 'invoices'), true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  },
);

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

await consoleTest(t, 'any flag is switched off in production on a phone', { prepare }, async (t, stage) => {
  const page = await enter(stage, phone);
  const header = page.getByRole('banner');
  await header.getByRole('button', { name: 'Project: shop' }).waitFor();
  for (const name of ['Navigation', 'Project: shop', 'Search everything']) {
    const box = await header.getByRole('button', { name }).boundingBox();
    t.ok(Math.min(box?.width ?? 0, box?.height ?? 0) >= 44, `${name} has room for a finger`);
  }
  let taps = 0;
  const tap = async (target: Locator): Promise<void> => {
    taps += 1;
    await target.tap();
  };
  await inAHurry(t, [
    () => tap(header.getByRole('button', { name: 'Search everything' })),
    () => page.getByRole('option', { name: /^invoices/ }).waitFor(),
    () => tap(pressed(invoicesSwitch(page))),
    () => tap(page.getByRole('dialog', { name: offTitle }).getByRole('button', { name: 'Switch off' })),
    () => notice(page, 'invoices is off in production.').waitFor(),
  ]);
  t.equal(taps, 3);
  const area = await pressed(invoicesSwitch(page)).boundingBox();
  t.ok(Math.min(area?.width ?? 0, area?.height ?? 0) >= 44, 'the switch has room for a finger');
  t.equal(await isOnInProduction(t, stage, page, 'invoices'), false);
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
    true,
    'nothing is wider than the window',
  );

  // Another project is one tap and a choice away.
  await page.goto(`${stage.origin}/console/projects`);
  await header.getByRole('button', { name: /^Project: / }).tap();
  await page.getByRole('menuitem', { name: 'billing' }).tap();
  await header.getByRole('button', { name: 'Project: billing' }).waitFor();
});

await consoleTest(
  t,
  'the palette finds everything, and shows no more than fits',
  { prepare },
  async (t, stage) => {
    const page = await enter(stage);
    const call = consoleCaller(page);
    const { projects } = await call<{ projects: Named[] }>('GET', '/projects');
    const found = projects.find(({ name }) => name === 'billing');
    const wanted = { name: 'ci', permission: 'write', environments: null, expiryDays: 0 };
    const { secret } = await call<{ secret: string }>('POST', `/projects/${found?.id}/tokens`, wanted);
    const client = createHttpClient(t, { port: stage.server.port });
    const sent = { method: 'POST', path: '/api/v1/flags', body: '{"name":"twin"}', headers: bearer(secret) };
    t.equal((await client.send(sent)).status, 201);
    // A flag that was opened before has its switch, although it is off; favourites are first.
    await page.getByRole('button', { name: 'Favourite: checkout' }).click();
    await page.goto(`${stage.origin}/console/projects/${found?.id}/flags`);
    await page.getByRole('link', { name: 'twin' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'twin' }).waitFor();
    await page.keyboard.press('Control+k');
    await page
      .getByRole('group', { name: 'Recent' })
      .getByRole('option', { name: /^twin.*Off/ })
      .waitFor();
    await dialog(page)
      .getByRole('switch', { name: /^twin in production/, checked: false })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.goto(
      `${stage.origin}/console/projects/${projects.find(({ name }) => name === 'shop')?.id}/flags`,
    );
    await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    const marked = page.getByRole('group', { name: 'Favourites' }).getByRole('option');
    await marked.first().waitFor();
    t.match(await marked.allTextContents(), [/^checkout/]);
    await page.keyboard.press('Escape');
    const options = page.getByRole('option');
    const type = async (text: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Flag, page or action' }).fill(text);
    };
    await page.keyboard.press('Control+k');
    await type('other');
    await page.getByRole('option', { name: /^other-00/ }).waitFor();
    t.ok((await options.count()) <= 40, 'sixty flags match, and a few are shown');
    await page.getByText('There are more matches: type more of the name.').waitFor();

    await type('twin');
    await page.getByRole('option', { name: /^twin/ }).nth(1).waitFor();
    const ids = await page.getByRole('option', { name: /^twin/ }).getByRole('code').allTextContents();
    t.equal(new Set(ids).size, 2, 'flags of one name show their ids');

    await type('stag');
    await page
      .getByRole('option', { name: /^staging.*environment/ })
      .first()
      .waitFor();
    t.equal(await page.getByRole('option', { name: /^staging.*environment/ }).count(), 3, 'of each project');
    await type('arch');
    await page.getByRole('option', { name: /^archive.*project/, selected: true }).waitFor();
    await type('nothing is called that');
    await page.getByText('No matches in Acme').waitFor();

    // Enter may be faster than the answer: what is found then is opened.
    await type('');
    await page.route('**/console/api/search?q=invoices', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue();
    });
    await type('invoices');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'invoices' }).waitFor();

    // A place that was open is the first to be offered.
    await page.keyboard.press('Control+k');
    await page
      .getByRole('group', { name: 'Recent' })
      .getByRole('option', { name: /^invoices/, selected: true })
      .waitFor();
    t.pass('recent places come first');
  },
);
