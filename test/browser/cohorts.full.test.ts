import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { card, dialog, notice, saveDraft } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

const pastedCount = 5_000;

const prepare = provision({
  name: 'shop',
  environments: ['production'],
  flags: [{ name: 'gift-cards', cohorts: ['beta'] }],
});

await consoleTest(t, 'thousands of cohorts are pasted', { prepare }, async (t, stage) => {
  const window = await stage.window({ permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = window;
  await signIn(window, owner);
  await page.getByRole('link', { name: 'gift-cards' }).click();
  await page.getByRole('button', { name: 'Edit cohorts' }).click();
  const lines = Array.from({ length: pastedCount }, (_, index) => `user-${index}`);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\n'))})`);
  const field = dialog(page).getByLabel('Add');
  await field.focus();
  await page.keyboard.press('Control+v');
  await dialog(page).getByText('5,001 cohorts in all.').waitFor();
  t.equal(await field.inputValue(), '', 'the cohorts are in the list, and the field stays small');
  await page.keyboard.type('one more');
  await dialog(page).getByText('5,002 cohorts in all.').waitFor();
  // A click beside a form keeps its content.
  await page.mouse.click(5, 5);
  await dialog(page).getByLabel('Find in the list').fill('user-4999');
  await dialog(page).getByRole('button', { name: 'Remove user-4999' }).click();
  await dialog(page).getByRole('button', { name: 'Add to draft' }).click();
  await card(page, 'production').getByText('inherited (5,001)').waitFor();
  await saveDraft(page);
  await notice(page, 'Saved 1 change of gift-cards.').waitFor();

  // An own list equal to the inherited one changes nothing: the environment still inherits, and there is nothing to
  // save.
  await card(page, 'production').getByRole('button', { name: 'Override' }).click();
  await dialog(page).getByRole('button', { name: 'Add to draft' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  t.equal(await page.getByRole('region', { name: 'Unsaved changes' }).count(), 0);
});
