import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { card, dialog, finishDialog, goTo, notice } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(360_000);

const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
  flags: [
    {
      name: 'gift-cards',
      environments: { production: { trafficPercentage: 40, audience: 'Pro' }, staging: { audience: 'Pro' } },
    },
  ],
};

interface Project {
  readonly id: string;
  readonly environmentsRevision: number;
}

await consoleTest(t, 'an audience is edited', { prepare: provision(project) }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await signIn(window, owner);
  await page.getByText('1 flag', { exact: true }).waitFor();
  const call = consoleCaller(page);
  const { projects } = await call<{ projects: readonly Project[] }>('GET', '/projects');
  const [{ id = '', environmentsRevision: revision = 0 } = {}] = projects;
  await call('PATCH', `/projects/${id}/environments/1`, { revision, isProtected: true });

  // Upper and lower case differ: both spellings are values.
  await goTo(page, 'Audiences');
  await page.getByRole('link', { name: 'Pro', exact: true }).click();
  const values = page.getByRole('textbox', { name: 'is one of' });
  for (const value of ['Pro', 'pro', 'PRO']) {
    await values.fill(value);
    await values.press('Enter');
  }

  // The review names the flag and the protected environment in which the change acts at once, as soon as the page
  // learns of them.
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await dialog(page).getByText('Saving changes at once what these flags answer').waitFor();
  const review = await dialog(page).textContent();
  t.match(review, /plan is pro or Pro or PRO/);
  t.match(review, /protected environments:gift-cards in production/);
  t.notMatch(review, /staging/);
  await dialog(page)
    .getByRole('button', { name: /^Save / })
    .click();
  await notice(page, /^Saved Pro\./).waitFor();

  // A name does not affect evaluation.
  await page.getByRole('textbox', { name: 'Name' }).fill('Professionals');
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  t.notMatch(await dialog(page).textContent(), /protected/);
  await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();

  // The switch says which callers it affects.
  await goTo(page, 'Flags');
  await page.getByRole('link', { name: 'gift-cards' }).click();
  await card(page, 'production').getByRole('switch').press('Space');
  t.match(
    await dialog(page).textContent(),
    /switch gift-cards on there\. 40% of callers in the audience Pro get “on”/,
  );
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();

  // Deleting a flag says where it was.
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete flag …' }).click();
  t.match(await dialog(page).textContent(), /in every environment, including production \(protected\)/);
});

const users = Array.from({ length: 5000 }, (_, index) => `user-${index}`);
const withMany = {
  ...project,
  audiences: [{ name: 'Pro', rules: [{ attribute: 'user', values: users }] }],
};

await consoleTest(
  t,
  'an audience of thousands of values is edited',
  { prepare: provision(withMany) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await goTo(page, 'Audiences');
    await page.getByRole('link', { name: 'Pro', exact: true }).click();
    await page.getByText('4,900 values and').waitFor();
    const values = page.getByRole('textbox', { name: 'is one of' });
    await values.fill('one-more');
    await values.press('Enter');
    await page.getByRole('button', { name: 'Edit all 5,001 values' }).click();
    await dialog(page).getByLabel('Find in the list').fill('user-4321');
    await dialog(page).getByRole('button', { name: 'Remove user-4321' }).click();
    await dialog(page).getByText('5,000 values in all.').waitFor();
    await finishDialog(page, 'Add to draft');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    t.match(
      await dialog(page).textContent(),
      /user is user-4321 or 4,999 more.*user is one-more or 4,999 more/,
    );
    await dialog(page)
      .getByRole('button', { name: /^Save / })
      .click();
    await notice(page, /^Saved Pro\./).waitFor();
  },
);
