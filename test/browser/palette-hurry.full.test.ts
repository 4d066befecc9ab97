import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { dialog, notice } from './support/console-steps.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { applied } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

const isOn = { production: { enabled: true, trafficPercentage: 100 } };
const live = (name: string) => ({ name, environments: isOn });
const environments = ['production'];
/** The page is at `billing`; `vault` is protected. */
const prepare = applied({
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ ...owner, role: 'owner' }],
      projects: [
        { name: 'billing', environments, flags: [{ name: 'spare' }] },
        { name: 'payments', environments, flags: [live('basket'), live('checkout'), live('payments-v2')] },
        { name: 'vault', environments, protectedEnvironments: environments, flags: [live('safe')] },
      ],
    },
  ],
});

/** @returns the paths of changes that the page sends, as a list that grows */
function sentChanges(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.url());
  });
  return sent;
}

async function isLive(page: Page, name: string): Promise<boolean | undefined> {
  const call = consoleCaller(page);
  const { results } = await call<{
    results: { kind: string; name: string; states: { enabled: boolean }[] }[];
  }>('GET', `/search?q=${name}`);
  return results.find((result) => result.kind === 'flag' && result.name === name)?.states[0]?.enabled;
}

function field(page: Page) {
  return page.getByRole('combobox', { name: 'Flag, page or action' });
}

function row(page: Page, name: string | RegExp) {
  return page.getByRole('option', { name });
}

/** Presses a key once and keeps it down, as long as the keyboard repeats it so often. */
async function hold(page: Page, key: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await page.keyboard.down(key);
}

await consoleTest(t, 'a hurried key acts on what the whole text finds', { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  const sent = sentChanges(page);
  await signIn(window, owner);
  await page.getByRole('link', { name: 'spare', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await row(page, /^basket.*On/).waitFor();

  // Ctrl Enter before the answer: the rows of the empty text are still shown, and none of them is meant.
  const answerCheckout = await holdAnswers(page, /search\?q=checkout/);
  await page.keyboard.type('checkout');
  await page.keyboard.press('Control+Enter');
  t.equal(await row(page, /^basket/).count(), 0, 'a row that the text does not mean is not shown');
  t.same(sent, []);
  answerCheckout();
  await notice(page, 'checkout is off in production.').waitFor();
  t.equal(sent.length, 1);
  t.equal(await isLive(page, 'basket'), true);
  t.equal(await isLive(page, 'checkout'), false);

  // Who types on means something else.
  await field(page).fill('');
  await row(page, /^basket.*On/).waitFor();
  const answerBasket = await holdAnswers(page, /search\?q=bas$/);
  await field(page).fill('bas');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type('ket');
  await row(page, /^basket.*On/).waitFor();
  answerBasket();
  // A search that failed has found nothing.
  window.watch.expectStatus(500);
  await page.route(/search\?q=lost/, (route) => route.fulfill({ status: 500, body: '' }));
  await field(page).fill('lost');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^The search failed\./).waitFor();
  t.equal(sent.length, 1, 'nothing else was switched');

  // A key that is held acts once, and does not confirm.
  await field(page).fill('basket');
  await row(page, /^basket.*On/).waitFor();
  await page.keyboard.down('Control');
  await hold(page, 'Enter', 4);
  await notice(page, 'basket is off in production.').waitFor();
  await hold(page, 'Enter', 4);
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  await row(page, /^basket.*Off/).waitFor();
  t.equal(sent.length, 2);
  await field(page).fill('safe');
  await row(page, /^safe.*On/).waitFor();
  await page.keyboard.down('Control');
  await hold(page, 'Enter', 1);
  const question = page.getByRole('dialog', { name: 'Switch off in production?' });
  await question.getByRole('button', { name: 'Switch off' }).waitFor();
  await hold(page, 'Enter', 4);
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  t.equal(await question.count(), 1);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await hold(page, 'u', 1);
  await notice(page, /^basket is on in production\./).waitFor();
  await hold(page, 'u', 4);
  await page.keyboard.up('u');
  t.equal(await isLive(page, 'basket'), true);
  t.equal(sent.length, 3, 'U undid, and did not redo');
});

await consoleTest(t, "an open palette shows others' changes", { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await signIn(window, owner);
  await page.getByRole('link', { name: 'spare', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('a');
  await row(page, /^basket.*On/).waitFor();
  await row(page, /^spare/).waitFor();
  const names = () => page.getByRole('option').locator('bdi').allTextContents();
  const before = await names();
  const call = consoleCaller(page);
  const { results } = await call<{
    results: { kind: string; name: string; id: string; projectId: string; revision: number }[];
  }>('GET', '/search?q=basket');
  const [basket] = results;
  const path = `/projects/${basket?.projectId}/flags/${basket?.id}`;
  await call('PATCH', path, { revision: basket?.revision, states: { 1: { enabled: false } } });
  await row(page, /^basket.*Off/).waitFor();
  t.same(await names(), before, 'every row stays where it is');
});
