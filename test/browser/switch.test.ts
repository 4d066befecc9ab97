import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { card, dialog, notice } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

const project = {
  name: 'shop',
  environments: ['staging', 'production'],
  audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
  flags: [
    { name: 'checkout', environments: { production: { trafficPercentage: 100 } } },
    { name: 'untouched' },
    { name: 'listed', cohorts: ['beta', 'staff'], environments: { production: { audience: 'Pro' } } },
  ],
};

async function openFlag(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Closes every notice: the next one with the same words is a new one. */
async function clearNotices(page: Page): Promise<void> {
  const dismiss = page
    .getByRole('region', { name: 'Notifications' })
    .getByRole('button', { name: 'Dismiss' });
  while ((await dismiss.count()) > 0) await dismiss.first().click();
}

/** The state as it is stored. */
async function storedState(page: Page): Promise<unknown> {
  const [, projectId, flagId] = /projects\/(\w+)\/flags\/(\w+)/.exec(page.url()) ?? [];
  const read = await consoleCaller(page)<{ states: Record<string, unknown> }>(
    'GET',
    `/projects/${projectId}/flags/${flagId}`,
  );
  return read.states['2'];
}

async function protectProduction(page: Page): Promise<void> {
  const call = consoleCaller(page);
  const projectId = /projects\/(\w+)/.exec(page.url())?.[1] ?? '';
  const { projects } = await call<{ projects: { environmentsRevision: number }[] }>('GET', '/projects');
  const revision = projects[0]?.environmentsRevision;
  await call('PATCH', `/projects/${projectId}/environments/2`, { revision, isProtected: true });
}

await consoleTest(
  t,
  'a switch says and does what stands beside it',
  { prepare: provision(project) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await openFlag(page, 'checkout');
    const production = card(page, 'production');
    const turn = () => production.getByRole('switch').press('Space');

    // Stored are 100 % of everyone; the card shows 10 % of an audience. Neither is taken without being asked for.
    await production.getByRole('button', { name: '10%', exact: true }).click();
    await production.getByRole('combobox', { name: 'Audience' }).click();
    await page.getByRole('option', { name: 'Pro' }).click();
    await production.getByText('was 100%').waitFor();
    await production.getByText('was everyone').waitFor();
    await turn();
    await dialog(page)
      .getByText('10% of callers in the audience Pro get “on”; all others get “off”.')
      .waitFor();
    await dialog(page).getByText('Every caller gets “on”.').waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    t.match(await storedState(page), { enabled: false }, 'Enter answers nothing by accident');
    await turn();
    await dialog(page).getByRole('button', { name: 'Save and switch on' }).click();
    await notice(
      page,
      /Saved 2 changes\. checkout is on in production\. 10% of callers in the audience Pro/,
    ).waitFor();
    t.match(await storedState(page), { enabled: true, trafficPercentage: 10 });
    t.equal(await page.getByRole('region', { name: 'Unsaved changes' }).count(), 0);
    await page.keyboard.press('u');
    await notice(page, 'checkout is off in production.').waitFor();
    t.match(await storedState(page), { enabled: false, trafficPercentage: 100, audienceId: null });

    await production.getByRole('button', { name: '25%', exact: true }).click();
    await turn();
    await dialog(page).getByRole('button', { name: 'Switch on as stored' }).click();
    await notice(page, 'checkout is on in production. Every caller gets “on”.').waitFor();
    t.match(await storedState(page), { enabled: true, trafficPercentage: 100 });
    await production.getByText('was 100%').waitFor();
    await clearNotices(page);
    // Off is off, with a draft or without: somebody in a hurry is not asked.
    await turn();
    await notice(page, 'checkout is off in production.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    // A new flag begins at 0 %: switched on, it would reach nobody.
    await openFlag(page, 'untouched');
    await turn();
    await dialog(page).getByText('On, but reaches nobody.').waitFor();
    await dialog(page).getByRole('button', { name: 'Switch on at 100%' }).press('Enter');
    await notice(page, 'untouched is on in production. Every caller gets “on”.').waitFor();
    t.match(await storedState(page), { enabled: true, trafficPercentage: 100 });
    await page.keyboard.press('u');
    await notice(page, 'untouched is off in production.').waitFor();
    t.match(await storedState(page), { enabled: false, trafficPercentage: 0 }, 'Undo takes both back');
    await turn();
    await dialog(page).getByLabel('Rollout in percent').fill('5');
    await dialog(page).getByText('5% of callers get “on”.').waitFor();
    await dialog(page).getByRole('button', { name: 'Switch on at 5%' }).click();
    await notice(page, 'untouched is on in production. 5% of callers get “on”.').waitFor();
    await card(page, 'staging').getByRole('switch').press('Space');
    await dialog(page).getByRole('button', { name: 'Switch on at 0%' }).click();
    await notice(page, 'untouched is on in staging, but reaches nobody.').waitFor();
    await card(page, 'staging').getByText('On, but reaches nobody.').waitFor();
    await card(page, 'staging').getByRole('button', { name: 'Set 100%' }).click();
    await card(page, 'staging').getByText('After saving: Every caller gets “on”.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    // A protected environment asks either way, and for an Undo as well.
    await clearNotices(page);
    await protectProduction(page);
    await production.getByText('protected').waitFor();
    await turn();
    t.match(await dialog(page).textContent(), /production is protected.*Every caller gets “off”/);
    await dialog(page).getByRole('button', { name: 'Switch off' }).press('Enter');
    await notice(page, 'untouched is off in production.').waitFor();
    await page.keyboard.press('u');
    await page.getByRole('dialog', { name: 'Undo: switch on in production?' }).waitFor();
    t.match(await storedState(page), { enabled: false });
    await dialog(page).getByRole('button', { name: 'Switch on' }).click();
    await notice(page, 'untouched is on in production. 5% of callers get “on”.').waitFor();

    // The review of a flag that is off does not promise an effect; cohorts are named where there are any.
    await openFlag(page, 'listed');
    await production.getByRole('button', { name: '10%', exact: true }).click();
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    const off = 'In production, off: no answers change until it is switched on.';
    await dialog(page).getByText(off).waitFor();
    t.notMatch(await dialog(page).textContent(), /there at once/);
    await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
    await turn();
    await dialog(page)
      .getByText(
        'The 2 listed cohorts and 10% of callers in the audience Pro get “on”; all others get “off”.',
      )
      .waitFor();
    await dialog(page).getByText('Only the 2 listed cohorts get “on”: the rollout is at 0%.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();

    // What is discarded can be brought back.
    await clearNotices(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await notice(page, 'Discarded 1 change.').waitFor();
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Review 1 change' }).waitFor();
    await production.getByRole('button', { name: '10%', pressed: true }).waitFor();
  },
);
