import type { Page } from 'playwright-core';
import { card, dialog } from './console-steps.ts';
import type { FurnishedDemo } from './furnished-demo.ts';

/** Something that people see: an address, and what is done there first. */
export interface Screen {
  /** Of its screenshots, too. */
  readonly name: string;
  readonly path: string;
  /** Seen before signing in. */
  readonly isPublic?: boolean;
  /** Ends when everything to look at is there. */
  readonly show: (page: Page) => Promise<unknown>;
}

type Show = Screen['show'];

function heading(name: string | RegExp): Show {
  return (page) => page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Presses a button of the page and waits for the dialog that it opens. */
function opened(before: Show, button: string | RegExp): Show {
  return async (page) => {
    await before(page);
    await page.getByRole('button', { name: button }).first().click();
    await dialog(page).waitFor();
  };
}

function flagScreens({ projectId, flagId, flagName }: FurnishedDemo): readonly Screen[] {
  const list = `/console/projects/${projectId}/flags`;
  const path = `${list}/${flagId}`;
  const header = heading(flagName);
  const drafted: Show = async (page) => {
    await header(page);
    await card(page, 'v1.30').getByRole('button', { name: '25%' }).click();
    await card(page, 'v1.31').getByRole('button', { name: '75%' }).click();
    await page.getByRole('button', { name: 'Review 2 changes' }).waitFor();
  };
  const counted: Show = async (page) => {
    await header(page);
    await page.getByRole('region', { name: 'Evaluations per hour' }).getByText('As numbers').waitFor();
  };
  const tried: Show = async (page) => {
    await header(page);
    await page.getByLabel('Environment', { exact: true }).selectOption({ label: 'v1.33' });
    await page.getByLabel('Targeting key').fill('node-7');
    await page.getByLabel('Cohort').fill('nightly');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
  };
  return [
    {
      name: 'flags',
      path: list,
      show: (page) => page.getByRole('link', { name: 'APIServerTracing' }).waitFor(),
    },
    {
      name: 'flags-none-match',
      path: `${list}?q=nothing`,
      show: (page) => page.getByText('No flag matches').waitFor(),
    },
    { name: 'create-flag', path: `${list}?create=yes`, show: (page) => dialog(page).waitFor() },
    { name: 'flag', path, show: header },
    { name: 'flag-draft', path, show: drafted },
    { name: 'flag-review', path, show: opened(drafted, 'Review 2 changes') },
    { name: 'flag-cohorts', path, show: opened(header, 'Edit cohorts') },
    {
      name: 'flag-switch-protected',
      path,
      show: async (page) => {
        await header(page);
        await card(page, 'v1.34').getByRole('switch').press('Space');
        await dialog(page).waitFor();
      },
    },
    {
      name: 'flag-delete',
      path,
      show: async (page) => {
        await header(page);
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete flag' }).click();
        await dialog(page).waitFor();
      },
    },
    {
      name: 'flag-history',
      path: `${path}?tab=history`,
      show: (page) => page.getByText('Demo Owner').nth(1).waitFor(),
    },
    { name: 'flag-evaluations', path: `${path}?tab=evaluations`, show: counted },
    { name: 'flag-try', path: `${path}?tab=try`, show: tried },
    { name: 'flag-code', path: `${path}?tab=code`, show: (page) => page.getByText('curl').first().waitFor() },
  ];
}

function projectScreens(demo: FurnishedDemo): readonly Screen[] {
  const { projectId, websiteId, audienceId, tokenId } = demo;
  const project = `/console/projects/${projectId}`;
  const website = `/console/projects/${websiteId}`;
  const audiences = heading('Audiences');
  const row =
    (text: string): Show =>
    (page) =>
      page.getByText(text, { exact: true }).first().waitFor();
  const renaming: Show = async (page) => {
    await opened(heading('Environments'), 'Rename v1.33')(page);
    await dialog(page).getByLabel('New name').fill('stable');
    await dialog(page).getByText('These tokens stop working here.').waitFor();
  };
  return [
    { name: 'audiences', path: `${website}/audiences`, show: row('Nordic testers') },
    { name: 'create-audience', path: `${website}/audiences`, show: opened(audiences, 'Create audience') },
    { name: 'audience', path: `${website}/audiences/${audienceId}`, show: heading('Paying customers') },
    { name: 'no-audience', path: `${project}/audiences`, show: row('No audience yet') },
    { name: 'tokens', path: `${project}/tokens`, show: row('deploy pipeline') },
    { name: 'create-token', path: `${project}/tokens`, show: opened(heading('Tokens'), 'Create token') },
    { name: 'token-activity', path: `${project}/tokens/${tokenId}`, show: heading('deploy pipeline') },
    { name: 'environments', path: `${project}/environments`, show: heading('Environments') },
    { name: 'rename-environment', path: `${project}/environments`, show: renaming },
    { name: 'audit-log', path: `${project}/audit`, show: row('deploy pipeline') },
    { name: 'project-settings', path: `${project}/settings`, show: heading('Project settings') },
  ];
}

function sharedScreens(demo: FurnishedDemo): readonly Screen[] {
  const flags = `/console/projects/${demo.projectId}/flags`;
  const pressed =
    (key: string): Show =>
    async (page) => {
      await heading('Flags')(page);
      await page.keyboard.press(key);
      await dialog(page).waitFor();
    };
  return [
    { name: 'projects', path: '/console/projects', show: heading('Projects') },
    {
      name: 'create-project',
      path: '/console/projects',
      show: opened(heading('Projects'), 'Create project'),
    },
    {
      name: 'members',
      path: '/console/members',
      show: (page) => page.getByText('newcomer@example.test').waitFor(),
    },
    { name: 'invite-member', path: '/console/members', show: opened(heading('Members'), /^Invite/) },
    {
      name: 'settings-organisation',
      path: '/console/settings',
      show: (page) => page.getByRole('textbox', { name: 'Name of the organisation' }).waitFor(),
    },
    {
      name: 'settings-you',
      path: '/console/settings?tab=you',
      show: (page) => page.getByText('This one').waitFor(),
    },
    { name: 'palette', path: flags, show: pressed('Control+k') },
    { name: 'keyboard-help', path: flags, show: pressed('?') },
    { name: 'not-found', path: '/console/no/such/page', show: (page) => page.getByRole('alert').waitFor() },
  ];
}

/** Every screen of the console over the demo. */
export function screensOf(demo: FurnishedDemo): readonly Screen[] {
  return [
    { name: 'sign-in', path: '/console/sign-in', isPublic: true, show: heading('Sign in') },
    { name: 'invitation', path: demo.invitation, isPublic: true, show: heading('Join') },
    ...flagScreens(demo),
    ...projectScreens(demo),
    ...sharedScreens(demo),
  ];
}
