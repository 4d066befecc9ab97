import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { card, createFlag, createProject, dialog, notice } from './support/console-steps.ts';
import { becomeOwner } from './support/sign-in.ts';

t.setTimeout(180_000);

/** How many controls Tab passes at most on the way to one. */
const stepsMax = 80;
const paletteName = 'Flag, page or action';

/** The focused control, as a screen reader announces it. */
async function focused(page: Page): Promise<string> {
  const tree = await page.locator(':focus').ariaSnapshot();
  return tree.split('\n')[0] ?? '';
}

/** Presses Tab until the described control has the focus. @returns the passed controls, that one included */
async function tabTo(page: Page, wanted: RegExp): Promise<readonly string[]> {
  const passed: string[] = [];
  for (let step = 0; step < stepsMax; step += 1) {
    await page.keyboard.press('Tab');
    const name = (await page.locator(':focus').count()) === 0 ? '' : await focused(page);
    passed.push(name);
    if (wanted.test(name)) return passed;
  }
  throw new Error(`Tab does not lead to ${wanted}:\n${passed.join('\n')}`);
}

await consoleTest(t, 'the keyboard alone is enough', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  await createProject(page, 'shop', []);
  await createFlag(page, 'gift-cards');
  const flagUrl = page.url();

  // From the top of the page, one step skips the navigation; otherwise Tab passes it in reading order.
  await page.goto(flagUrl);
  await page.getByRole('heading', { level: 1, name: 'gift-cards' }).waitFor();
  await page.keyboard.press('Tab');
  t.match(await focused(page), /link "Skip to content"/);
  await page.keyboard.press('Enter');
  const passed = await tabTo(page, /tab "Environments"/);
  t.ok(passed.length <= 8, `few controls come before the content: ${passed.join(', ')}`);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
  await page.keyboard.press('ArrowLeft');

  // Space turns the switch, and U undoes it.
  await tabTo(page, /switch "gift-cards in staging"/);
  await page.keyboard.press('Space');
  await page.getByRole('dialog', { name: 'Switch on in staging?' }).waitFor();
  t.match(await focused(page), /textbox "Rollout in percent"/, 'a question has its answer focused');
  await page.keyboard.type('100');
  await page.keyboard.press('Enter');
  await notice(page, /^gift-cards is on in staging\./).waitFor();
  t.equal(await card(page, 'staging').getByRole('switch').isChecked(), true);
  t.match(await focused(page), /switch "gift-cards in staging"/, 'the switch keeps the focus');
  await page.keyboard.press('u');
  await notice(page, 'gift-cards is off in staging.').waitFor();
  t.equal(await card(page, 'staging').getByRole('switch').isChecked(), false);

  // The arrows move a slider; the review is at the end of the page.
  await tabTo(page, /slider "Rollout in percent"/);
  await page.keyboard.press('ArrowRight');
  await tabTo(page, /button "Review 1 change"/);
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await tabTo(page, /button "Save 1 change"/);
  await page.keyboard.press('Enter');
  await notice(page, 'Saved 1 change of gift-cards.').waitFor();
});

/** Types without waiting for the palette: its key and the following ones in one go. */
async function typeIntoPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
}

await consoleTest(t, 'the palette, the search and the help have keys', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  await createProject(page, 'shop', []);
  await createFlag(page, 'gift-cards');

  await typeIntoPalette(page, 'audit');
  await page.getByRole('option', { name: 'Audit log' }).waitFor();
  t.equal(await page.getByRole('combobox', { name: paletteName }).inputValue(), 'audit');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();

  await typeIntoPalette(page, 'gift');
  await page.getByRole('option', { name: /gift-cards/, selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  t.equal(await dialog(page).getByText('Search on this page').count(), 1);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });

  await page.keyboard.press('/');
  await page.keyboard.type('flags');
  await page.getByRole('option', { name: /^Flags/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  await page.keyboard.press('/');
  t.match(await focused(page), /searchbox "Search flags"/);
  await page.keyboard.type('no flag has this name');
  await page.getByRole('heading', { name: 'No flags match these filters' }).waitFor();
  await page.waitForURL(/q=no\+flag\+has\+this\+name/);
  t.pass('the filter is in the address');
});

await consoleTest(t, 'shortcuts of a single key can be turned off', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await page.keyboard.press('?');
  await help.waitFor();
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });

  await page.keyboard.press('?');
  await page.keyboard.press('/');
  // A key with Ctrl acts nevertheless, and comes after the two.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: paletteName }).waitFor();
  t.equal(await help.count(), 0);
  await page.keyboard.type('settings');
  await page.getByRole('option', { name: /^Settings/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();

  // The choice outlives the page, and is found under Settings.
  await page.goto(`${stage.origin}/console/settings?tab=you`);
  const choice = page.getByRole('switch', { name: 'Single-key shortcuts' });
  await choice.waitFor();
  t.equal(await choice.isChecked(), false);
  await choice.press('Space');
  await page.getByRole('heading', { level: 1, name: 'Settings' }).click();
  await page.keyboard.press('?');
  await help.waitFor();
});
