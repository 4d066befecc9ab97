import type { Page } from 'playwright-core';
import t from 'tap';
import { prepareShop } from './support/another-member.ts';
import { consoleTest } from './support/console-stage.ts';
import {
  card,
  createFlag,
  createProject,
  dialog,
  finishDialog,
  goTo,
  notice,
} from './support/console-steps.ts';
import { applied } from './support/provision.ts';
import { becomeOwner, owner, signIn } from './support/sign-in.ts';

t.setTimeout(480_000);

function named(page: Page, name: string) {
  return page.getByRole('dialog', { name, exact: true });
}

await consoleTest(t, 'a dialog keeps its entries until the user discards them', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  await createProject(page, 'shop', []);
  const question = named(page, 'Discard what you have entered?');

  // Without entries there is no question.
  const create = named(page, 'Create flag');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await create.waitFor();
  await page.keyboard.press('Escape');
  await create.waitFor({ state: 'detached' });

  // Escape, the cross and Cancel all ask. The answer that keeps the entries has the focus, and Escape gives it too.
  await page.getByRole('button', { name: 'Create flag' }).click();
  await create.getByLabel('Name').fill('gift-cards');
  await page.keyboard.press('Escape');
  // The focus comes after the question is shown: until then Enter would send the entries.
  await question.locator(':focus').waitFor();
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await create.getByRole('button', { name: 'Close' }).click();
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await create.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  t.equal(await create.getByLabel('Name').inputValue(), 'gift-cards');

  // Leaving for another page asks too.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('members');
  await page.keyboard.press('Enter');
  const leave = named(page, 'Leave without saving?');
  t.match(await leave.textContent(), /What you have entered would be lost/);
  await page.keyboard.press('Escape');
  await leave.waitFor({ state: 'detached' });
  t.equal(await create.getByLabel('Name').inputValue(), 'gift-cards');

  // There is no question after the entries were sent or discarded. What is sent twice at once is made once.
  await page.evaluate(`for (const _ of [1, 2]) document.querySelector('[role=dialog] form').requestSubmit()`);
  await page.getByRole('heading', { level: 1, name: 'gift-cards' }).waitFor();
  await goTo(page, 'Flags');
  await page.getByText('1 flag', { exact: true }).waitFor();
  await goTo(page, 'Environments');
  await page.getByRole('button', { name: 'Create environment' }).click();
  await dialog(page).getByLabel('Name').fill('Dev');
  t.equal(await dialog(page).getByLabel('Name').inputValue(), 'dev');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await goTo(page, 'Audiences');
  await page.getByRole('button', { name: 'Create audience' }).click();
  const audience = named(page, 'Create audience');
  await audience.getByLabel('is one of').fill('pro');
  await audience.getByLabel('is one of').press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await audience.waitFor({ state: 'detached' });
  await goTo(page, 'Flags');
});

await consoleTest(t, 'leaving a secret that is shown once is confirmed first', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  await createProject(page, 'shop', []);
  await goTo(page, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await named(page, 'Create token').getByRole('textbox', { name: 'Name', exact: true }).fill('ci');
  await named(page, 'Create token').getByRole('button', { name: 'Create token' }).click();
  const shown = named(page, 'Token ci');
  await shown.waitFor();
  await page.evaluate('history.back()');
  const leave = named(page, 'Leave without saving?');
  t.match(await leave.textContent(), /The token secret would be lost: it is not shown again/);
  await leave.getByRole('button', { name: 'Cancel' }).click();
  await leave.waitFor({ state: 'detached' });
  t.match(await shown.getByRole('code').textContent(), /^burgee_/);
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await shown.waitFor({ state: 'detached' });
  await goTo(page, 'Members');
});

await consoleTest(
  t,
  'production is protected from the beginning, and until that is stopped it is not deleted',
  { prepare: prepareShop },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    const create = async (name: string, kind: string): Promise<void> => {
      await goTo(page, 'Projects');
      await page.getByRole('button', { name: 'Create project' }).click();
      await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await dialog(page).getByRole('radio', { name: kind }).check();
      await finishDialog(page, 'Create project');
      await createFlag(page, 'gift-cards');
    };
    await create('store', 'Several');
    await card(page, 'production').getByText('protected').waitFor();
    await card(page, 'production').getByRole('switch').press('Space');
    await dialog(page).getByText('production is protected.').waitFor();
    await dialog(page).getByLabel('Rollout in percent').fill('10');
    await finishDialog(page, 'Switch on at 10%');
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions for production' }).click();
      await page.getByRole('menuitem', { name: 'Delete production' }).click();
    };
    await goTo(page, 'Environments');
    await ask();
    await page.getByRole('dialog', { name: 'production is protected' }).waitFor();
    await finishDialog(page, 'OK');
    await page.getByRole('switch', { name: 'Protect production' }).press('Space');
    await finishDialog(page, 'Stop protecting');
    await ask();
    await dialog(page).getByText('No evaluations in the last 24 hours. 1 flag is on there.').waitFor();
    await finishDialog(page, 'Cancel');

    // A project with a single environment is protected as a whole.
    await create('site', 'Single environment');
    await card(page, 'State').getByText('protected').waitFor();
    await card(page, 'State').getByRole('switch').press('Space');
    await dialog(page).getByText('This project is protected.').waitFor();
    await finishDialog(page, 'Cancel');
    await goTo(page, 'Project settings');
    await page.getByRole('switch', { name: 'Protect the flags of this project' }).press('Space');
    await finishDialog(page, 'Stop protecting');
    await page.getByRole('switch', { name: 'Protect the flags of this project', checked: false }).waitFor();
    t.pass();
  },
);

const hidden = applied({
  organisations: [
    {
      name: 'Ac\u200bme',
      plan: 'enterprise',
      members: [{ ...owner, name: 'Ol\u200bga', role: 'owner' }],
      projects: [
        {
          name: 'sh\u200bop',
          environments: ['production'],
          protectedEnvironments: ['production'],
          audiences: [{ name: 'a\u200bb', rules: [{ attribute: 'pl\u200ban', values: ['\u202epro'] }] }],
          flags: [
            {
              name: 'pay\u200bment',
              description: 'of\u200bten',
              tags: ['t\u200bag'],
              cohorts: ['be\u200bta'],
              environments: { production: { enabled: true, trafficPercentage: 50, audience: 'a\u200bb' } },
            },
          ],
          tokens: [{ name: 'ro\u200bbot', permission: 'read' }],
        },
      ],
    },
  ],
});

/** Texts and labels on the page with a character that nobody sees; what a field or code holds stays as it is. */
const hiddenTexts = `(() => {
  const isHidden = (text) => /[\\u200b\\u202e]/.test(text ?? '');
  const found = isHidden(document.title) ? [document.title] : [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const isText = node.nodeType === Node.TEXT_NODE;
    if (isText && !['SCRIPT', 'TEXTAREA', 'CODE'].includes(node.parentElement.tagName) && isHidden(node.data)) found.push(node.parentElement.outerHTML);
    if (isText) continue;
    for (const { name, value } of node.attributes)
      if (name !== 'value' && isHidden(value)) found.push(name + '=' + value);
  }
  return found;
})()`;

await consoleTest(t, 'hidden characters of names are shown', { prepare: hidden }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await signIn(window, owner);
  const see = async (what: string): Promise<void> =>
    void t.same(await page.evaluate(hiddenTexts), [], `${what} shows every character`);
  const isAt = async (title: string): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByText('Loading').first().waitFor({ state: 'hidden' });
    await see(title);
  };
  const payment = page.getByRole('link', { name: 'pay⟨U+200B⟩ment', exact: true });
  await payment.waitFor();
  await see('the list of flags');
  await page.getByRole('switch', { name: /^pay/ }).press('Space');
  await dialog(page)
    .getByText(/switch pay⟨U\+200B⟩ment off there/)
    .waitFor();
  await see('the question');
  await dialog(page).getByRole('button', { name: 'Switch off' }).click();
  await notice(page, 'pay⟨U+200B⟩ment is off in production.').waitFor();
  await see('the notice');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pay');
  await page.getByRole('option', { name: /^pay.*Off/ }).waitFor();
  await see('the palette');
  await page.keyboard.press('Enter');
  await isAt('pay⟨U+200B⟩ment');
  await goTo(page, 'Audit log');
  await isAt('Audit log');
  await goTo(page, 'Audiences');
  await page.getByText('pl⟨U+200B⟩an is ⟨U+202E⟩pro').waitFor();
  await page.getByRole('link', { name: 'a⟨U+200B⟩b' }).click();
  await isAt('a⟨U+200B⟩b');
  t.match(await page.title(), 'a⟨U+200B⟩b');
});
