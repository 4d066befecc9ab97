import type { Page } from 'playwright-core';
import t from 'tap';
import { type ConsoleStage, consoleTest } from './support/console-stage.ts';
import { dialog, finishDialog, goTo, notice } from './support/console-steps.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

const prepare = provision({
  name: 'shop',
  environments: ['production', 'staging'],
  tokens: [{ name: 'deploy', permission: 'write', environments: ['staging'] }],
});

/** @returns the page of environments, for the Owner */
async function openEnvironments(stage: ConsoleStage): Promise<Page> {
  const window = await stage.window();
  await signIn(window, owner);
  await window.page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  await goTo(window.page, 'Environments');
  return window.page;
}

await consoleTest(t, 'a rename names the affected tokens first', { prepare }, async (t, stage) => {
  const page = await openEnvironments(stage);
  const answer = await holdAnswers(page, '**/impact?name=preview');
  const asked = page.waitForRequest('**/impact?name=preview');
  await page.getByRole('button', { name: 'Rename staging' }).click();
  await dialog(page).getByLabel('New name').fill('preview');
  await page.keyboard.press('Enter');
  await asked;
  t.equal(await dialog(page).getByRole('button', { name: 'Rename' }).isEnabled(), false);
  answer();
  await dialog(page).getByText('These tokens stop working here.').waitFor();
  t.equal(await dialog(page).getByRole('link', { name: 'deploy' }).count(), 1);

  // A name that cannot be taken is reported beside the field.
  await dialog(page).getByLabel('New name').fill('production');
  await dialog(page).getByText('production exists already in this project.').waitFor();
  t.equal(await dialog(page).getByRole('button', { name: 'Rename' }).isEnabled(), false);
  await dialog(page).getByLabel('New name').fill('preview');
  await finishDialog(page, 'Rename');
  await notice(page, 'staging is now preview.').waitFor();
});

await consoleTest(
  t,
  'to stop protecting an environment is confirmed first',
  { prepare },
  async (t, stage) => {
    const page = await openEnvironments(stage);
    const protection = page.getByRole('switch', { name: 'Protect production' });
    await protection.click();
    await notice(page, 'production is protected.').waitFor();
    t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'no key takes the protection away');
    await protection.click();
    const question = page.getByRole('dialog', { name: 'Stop protecting production?' });
    t.match(await question.textContent(), /without being asked to confirm/);
    await question.getByRole('button', { name: 'Cancel' }).click();
    t.equal(await protection.isChecked(), true);
    await protection.click();
    await question.getByRole('button', { name: 'Stop protecting' }).click();
    await notice(page, 'production is no longer protected.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('switch', { name: 'Protect production', checked: true }).waitFor();
  },
);
