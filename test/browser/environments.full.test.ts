import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
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

interface Project {
  readonly id: string;
  readonly environmentsRevision: number;
}

await consoleTest(
  t,
  "a rename shows another member's rename of the environment",
  { prepare },
  async (t, stage) => {
    const page = await openEnvironments(stage);
    await page.getByRole('button', { name: 'Rename staging' }).click();
    await dialog(page).getByLabel('New name').fill('preview');

    const call = consoleCaller(page);
    const { projects } = await call<{ projects: readonly Project[] }>('GET', '/projects');
    const [{ id = '', environmentsRevision: revision = 0 } = {}] = projects;
    await call('PATCH', `/projects/${id}/environments/2`, { revision, name: 'canary' });
    await dialog(page).getByText('Somebody else has renamed this environment to canary.').waitFor();
    t.equal(await dialog(page).getByLabel('New name').inputValue(), 'preview');
    await finishDialog(page, 'Rename');
    await notice(page, 'canary is now preview.').waitFor();
  },
);

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

await consoleTest(t, 'relative times advance while the page is open', { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await page.clock.install();
  await signIn(window, owner);
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  await goTo(page, 'Audit log');
  const first = page.locator('ol > li time').first();
  t.match(await first.textContent(), /now|minute/);
  await page.clock.runFor('05:00');
  await page
    .getByText(/^[5-9] minutes ago/)
    .first()
    .waitFor();
});
