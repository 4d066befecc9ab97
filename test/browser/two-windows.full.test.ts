import type { Page } from 'playwright-core';
import t from 'tap';
import { prepareShop, shopAdmin } from './support/another-member.ts';
import { consoleCaller } from './support/console-caller.ts';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import {
  card,
  createFlag,
  createProject,
  dialog,
  finishDialog,
  goTo,
  notice,
  saveDraft,
} from './support/console-steps.ts';
import { becomeOwner, owner, signIn } from './support/sign-in.ts';

t.setTimeout(360_000);

const editor = { name: 'Edgar Editor', email: 'edgar@example.test', password: 'a password of an editor' };

/** Invites an editor, who joins in another window. */
async function inviteEditor(stage: ConsoleStage, page: Page): Promise<ConsoleWindow> {
  await goTo(page, 'Members');
  await page.getByRole('button', { name: /^Invite/ }).click();
  await dialog(page).getByLabel('Email').fill(editor.email);
  await dialog(page).getByRole('button', { name: 'Create invitation link' }).click();
  const shown = page.getByRole('dialog', { name: `Invitation for ${editor.email}` });
  const link = new URL((await shown.getByRole('code').textContent()) ?? '');
  await shown.getByRole('button', { name: 'Done' }).click();

  const joined = await stage.window();
  await joined.open(`${link.pathname}${link.hash}`);
  await joined.page.getByLabel('Your name').fill(editor.name);
  await joined.page.getByLabel('New password').fill(editor.password);
  await joined.page.getByRole('button', { name: 'Join' }).click();
  await joined.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  return joined;
}

async function openFlag(page: Page, name: string): Promise<void> {
  await goTo(page, 'Flags');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

function rollout(page: Page, environment: string, step: string): Promise<void> {
  return card(page, environment).getByRole('button', { name: step, exact: true }).click();
}

async function rolloutShown(page: Page, environment: string): Promise<string> {
  return card(page, environment).getByRole('textbox', { name: 'Rollout in percent' }).inputValue();
}

await consoleTest(
  t,
  'a page of one member does nothing as another who signs in in the same browser',
  { prepare: prepareShop },
  async (t, stage) => {
    const window = await stage.window();
    const { page, watch } = window;
    await signIn(window, shopAdmin);
    await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    watch.expectStatus(409);
    const tab = await page.context().newPage();
    await tab.goto(`${stage.origin}/console/sign-in`);
    await tab.getByLabel('Email').fill(owner.email);
    await tab.getByRole('textbox', { name: 'Password' }).fill(owner.password);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    const asked = page.getByRole('dialog', { name: 'Signed in as someone else' });
    // The stream of the session that ended is opened again, and refused.
    await asked.getByRole('button', { name: 'Stay here' }).click();
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'checkout in production' }).press('Space');
    await dialog(page).getByLabel('Rollout in percent').fill('100');
    await dialog(page).getByRole('button', { name: 'Switch on at 100%' }).click();
    await notice(page, /^Switching checkout on in production: Signed in as someone else\./).waitFor();
    t.notOk(await tab.getByRole('switch', { name: 'checkout in production' }).isChecked());
    await page.reload();
    await page.getByRole('button', { name: new RegExp(owner.name) }).waitFor();
    t.notOk(await page.getByRole('switch', { name: 'checkout in production' }).isChecked());
  },
);

await consoleTest(t, 'two people who edit one flag lose nothing', {}, async (t, stage) => {
  const mine = await stage.window();
  await becomeOwner(stage, mine);
  await createProject(mine.page, 'shop', []);
  await createFlag(mine.page, 'gift-cards');
  const theirs = await inviteEditor(stage, mine.page);
  await openFlag(mine.page, 'gift-cards');
  await openFlag(theirs.page, 'gift-cards');

  // I have a draft of one field, and they save another one: their value appears in my page, and my draft stays.
  await rollout(mine.page, 'production', '50%');
  await rollout(theirs.page, 'staging', '10%');
  await saveDraft(theirs.page);
  await mine.page.getByText('Others have changed this meanwhile; your draft is kept.').waitFor();
  t.equal(await rolloutShown(mine.page, 'staging'), '10%');
  t.equal(await rolloutShown(mine.page, 'production'), '50%');

  // Of the same field both values are shown side by side, and nothing is written until one is chosen. Typing goes on:
  // the bar says who it was, and the question comes when it is asked for, without an answer that Enter would give.
  await rollout(theirs.page, 'production', '25%');
  await mine.page.getByRole('button', { name: 'Edit name, description, tags' }).click();
  await saveDraft(theirs.page);
  await mine.page.getByText(`${editor.name} changed this flag meanwhile.`).waitFor();
  t.equal(await dialog(mine.page).count(), 1, 'only the dialog that I have opened');
  await dialog(mine.page).getByLabel('Tags').fill('mine');
  await dialog(mine.page).getByLabel('Tags').press('Enter');
  await finishDialog(mine.page, 'Add to draft');
  await mine.page.getByRole('button', { name: 'Compare' }).click();
  const conflict = mine.page.getByRole('dialog', { name: 'You both changed the same fields' });
  await conflict.getByRole('button', { name: 'Decide later' }).press('Enter');
  await conflict.waitFor({ state: 'detached' });
  await mine.page.getByRole('button', { name: /^Review / }).click();
  t.match(await conflict.getByRole('region', { name: `Saved by ${editor.name}` }).textContent(), /25%/);
  t.match(await conflict.getByRole('region', { name: 'Your draft' }).textContent(), /50%/);
  t.equal(await rolloutShown(theirs.page, 'production'), '25%', 'stored');
  await conflict.getByRole('button', { name: 'Keep mine' }).click();
  await mine.page.getByRole('button', { name: 'Save 2 changes' }).click();
  await notice(mine.page, 'Saved 2 changes of gift-cards.').waitFor();
  await card(theirs.page, 'production').getByRole('button', { name: '50%', pressed: true }).waitFor();
  t.equal(await rolloutShown(theirs.page, 'production'), '50%');
  t.equal(await rolloutShown(theirs.page, 'staging'), '10%');

  // Taking their value replaces only the field that both changed; the rest of the draft stays.
  await rollout(mine.page, 'production', '75%');
  await rollout(mine.page, 'staging', '25%');
  await rollout(theirs.page, 'production', '10%');
  await saveDraft(theirs.page);
  await mine.page.getByRole('button', { name: 'Compare' }).click();
  t.match(await conflict.textContent(), /Your 1 other change stays in the draft either way/);
  await conflict.getByRole('button', { name: 'Use theirs' }).click();
  t.equal(await rolloutShown(mine.page, 'production'), '10%');
  t.equal(await rolloutShown(mine.page, 'staging'), '25%');
  await mine.page.getByRole('button', { name: 'Review 1 change' }).waitFor();
  await saveDraft(mine.page);
  await notice(mine.page, 'Saved 1 change of gift-cards.').waitFor();

  // A save that somebody else has overtaken asks, too.
  await card(theirs.page, 'staging').getByRole('button', { name: '25%', pressed: true }).waitFor();
  await rollout(mine.page, 'production', '100%');
  await mine.page.getByRole('button', { name: 'Review 1 change' }).click();
  await mine.page.route('**/console/api/projects/*/flags/*', async (route) => {
    if (route.request().method() === 'PATCH') {
      await rollout(theirs.page, 'production', '0%');
      await saveDraft(theirs.page);
    }
    await route.continue();
  });
  mine.watch.expectStatus(409);
  await mine.page.getByRole('button', { name: 'Save 1 change' }).click();
  await conflict.getByRole('button', { name: 'Use theirs' }).click();
  await mine.page.unroute('**/console/api/projects/*/flags/*');
  t.equal(await rolloutShown(mine.page, 'production'), '0%');

  // The draft of an environment goes with it; that of a deleted flag stays readable.
  await rollout(mine.page, 'staging', '75%');
  await rollout(mine.page, 'production', '25%');
  await mine.page.getByRole('button', { name: 'Review 2 changes' }).waitFor();
  const call = consoleCaller(mine.page);
  const [, path = ''] = /(\/projects\/\w+)\//.exec(mine.page.url()) ?? [];
  const { environmentsRevision: revision } = await call<{ environmentsRevision: number }>('GET', path);
  await call('DELETE', `${path}/environments/2`, { revision, name: 'staging' });
  await mine.page.getByRole('button', { name: 'Review 1 change' }).waitFor();
  await goTo(theirs.page, 'Flags');
  await createFlag(theirs.page, 'short-lived');
  await mine.page.getByRole('button', { name: 'Discard' }).click();
  await openFlag(mine.page, 'short-lived');
  await rollout(mine.page, 'production', '25%');
  await theirs.page.getByRole('button', { name: 'More actions' }).click();
  await theirs.page.getByRole('menuitem', { name: 'Delete flag' }).click();
  await dialog(theirs.page).getByRole('textbox').fill('short-lived');
  await finishDialog(theirs.page, 'Delete flag');
  mine.watch.expectStatus(404);
  await mine.page.getByText(`${editor.name} deleted this flag`).waitFor();
  const lost = mine.page.getByRole('region', { name: 'Your changes, which were not saved' });
  t.match(await lost.textContent(), /Rollout.*0%.*25%/);
  await openFlag(mine.page, 'gift-cards');

  // The history has all changes, each with its author.
  await mine.page.getByRole('tab', { name: 'History' }).click();
  const entries = mine.page.getByRole('tabpanel', { name: 'History' }).getByRole('listitem');
  await entries.filter({ hasText: owner.name }).first().waitFor();
  t.match(await entries.first().textContent(), new RegExp(editor.name));
});

await consoleTest(t, 'leaving a draft is confirmed first', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  await createProject(page, 'shop', []);
  await createFlag(page, 'gift-cards');
  await rollout(page, 'staging', '75%');
  await page.getByRole('link', { name: 'Audiences' }).click();
  const guard = page.getByRole('dialog', { name: 'Leave without saving?' });
  t.match(await guard.textContent(), /1 unsaved change would be lost/);
  await guard.getByRole('button', { name: 'Cancel' }).click();
  t.equal(await rolloutShown(page, 'staging'), '75%');

  // Signing out leaves the page too; cancelling keeps the session.
  await page.getByRole('button', { name: owner.name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await guard.getByRole('button', { name: 'Cancel' }).click();
  await guard.waitFor({ state: 'detached' });
  await saveDraft(page);
  await notice(page, 'Saved 1 change of gift-cards.').waitFor();
  await rollout(page, 'staging', '50%');
  await page.getByRole('button', { name: owner.name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await guard.getByRole('button', { name: 'Discard and leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.goto(`${stage.origin}/console/sign-out`);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});
