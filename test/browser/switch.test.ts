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
    { name: 'gradual', environments: { staging: { trafficPercentage: 10, audience: 'Pro' } } },
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

interface ReadFlag {
  readonly revision: number;
  readonly states: Readonly<Record<string, unknown>>;
}

/** The open flag's address in the console's API. */
function pathOfFlag(page: Page): string {
  const [, projectId, flagId] = /projects\/(\w+)\/flags\/(\w+)/.exec(page.url()) ?? [];
  return `/projects/${projectId}/flags/${flagId}`;
}

/** The state as it is stored. @param environment 2 is production */
async function storedState(page: Page, environment = 2): Promise<unknown> {
  const { states } = await consoleCaller(page)<ReadFlag>('GET', pathOfFlag(page));
  return states[environment];
}

/** Does what a person does, and stores a state in staging just before the page's change arrives. */
async function overtake(page: Page, state: object, act: () => Promise<unknown>): Promise<void> {
  const path = pathOfFlag(page);
  let isDone = false;
  await page.route(`**/console/api${path}`, async (route) => {
    if (isDone || route.request().method() !== 'PATCH') return route.fallback();
    isDone = true;
    const call = consoleCaller(page);
    const { revision } = await call<ReadFlag>('GET', path);
    await call('PATCH', path, { revision, states: { 1: state } });
    return route.continue();
  });
  await act();
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
    await dialog(page).getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
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
    await notice(page, /^checkout is off in production\.$/).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    // A new flag begins at 0 %: switched on, it would reach nobody.
    await openFlag(page, 'untouched');
    await turn();
    await dialog(page).getByText('On, but reaches nobody.').waitFor();
    // No number is proposed, and what is no whole number is neither changed nor sent.
    await dialog(page).getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    for (const typed of ['0.5', '2,5', '-5', '150', '1e2', '99.999']) {
      await dialog(page).getByLabel('Rollout in percent').fill(typed);
      await page.keyboard.press('Enter');
      await dialog(page).getByText('Enter a whole number from 0 to 100.').waitFor();
      t.equal(await dialog(page).getByLabel('Rollout in percent').inputValue(), typed);
      t.ok(await dialog(page).getByRole('button', { name: 'Switch on', exact: true }).isDisabled());
    }
    t.match(await storedState(page), { enabled: false, trafficPercentage: 0 });
    await dialog(page).getByRole('button', { name: '100%', exact: true }).click();
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

    // What is discarded can be brought back.
    await openFlag(page, 'gradual');
    await clearNotices(page);
    await production.getByRole('button', { name: '10%', exact: true }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await notice(page, 'Discarded 1 change.').waitFor();
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Review 1 change' }).waitFor();
    await production.getByRole('button', { name: '10%', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    // Meanwhile somebody else lets everybody in: what was shown beside the switch is not what it would do.
    const staging = card(page, 'staging');
    await clearNotices(page);
    window.watch.expectStatus(409);
    const toAll = { trafficPercentage: 100, audienceId: null };
    await overtake(page, toAll, () => staging.getByRole('switch').press('Space'));
    await dialog(page)
      .getByText('Another member changed this flag meanwhile. This is the effect now.')
      .waitFor();
    await dialog(page).getByText('Every caller gets “on”.').waitFor();
    t.match(await storedState(page, 1), { enabled: false });
    await dialog(page).getByRole('button', { name: 'Switch on' }).click();
    await notice(page, 'gradual is on in staging. Every caller gets “on”.').waitFor();

    // What somebody else has switched off already is theirs to undo.
    await clearNotices(page);
    await overtake(page, { enabled: false }, () => staging.getByRole('switch').press('Space'));
    await notice(page, 'gradual was already off in staging.').waitFor();
    const notices = page.getByRole('region', { name: 'Notifications' });
    t.equal(await notices.getByRole('button', { name: 'Undo' }).count(), 0);
  },
);
