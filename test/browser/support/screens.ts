import { changingScreens } from './changing-screens.ts';
import { dialog } from './console-steps.ts';
import { flagScreens } from './flag-screens.ts';
import type { FurnishedDemo } from './furnished-demo.ts';
import { heading, opened, type Screen, type Show, text } from './screen.ts';

function doorScreens(demo: FurnishedDemo): readonly Screen[] {
  const path = '/console/sign-in';
  const door = { isPublic: true, show: heading('Sign in') };
  const refused: Show = (page) => page.getByRole('alert').waitFor();
  return [
    { name: 'sign-in', path, ...door },
    { name: 'sign-in-refused', path: `${path}?openid=email-not-verified`, ...door, show: refused },
    {
      name: 'link-over',
      path: '/console/link#used',
      isPublic: true,
      refusals: [410],
      show: heading('This link no longer works'),
    },
    { name: 'invitation', path: demo.invitation, ...door, show: heading('Join') },
  ];
}

function audienceScreens({ projectId, emptyProjectId, audienceId }: FurnishedDemo): readonly Screen[] {
  const path = `/console/projects/${projectId}/audiences`;
  const audience = heading('Members');
  const givingUp: Show = async (page) => {
    await opened(heading('Audiences'), 'Create audience')(page);
    await dialog(page).getByLabel('Name').fill('Nordic customers');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard what you have entered?' }).waitFor();
  };
  return [
    { name: 'audiences', path, show: text('Nordic testers') },
    { name: 'create-audience', path, show: opened(heading('Audiences'), 'Create audience') },
    { name: 'create-audience-discard', path, show: givingUp },
    { name: 'audience', path: `${path}/${audienceId}`, show: audience },
    { name: 'audience-in-use', path: `${path}/${audienceId}`, show: opened(audience, /^Delete audience/) },
    {
      name: 'no-audience',
      path: `/console/projects/${emptyProjectId}/audiences`,
      show: text('No audience yet'),
    },
  ];
}

function projectScreens({ projectId, tokenId }: FurnishedDemo): readonly Screen[] {
  const project = `/console/projects/${projectId}`;
  const environments = heading('Environments');
  const renaming: Show = async (page) => {
    await opened(environments, 'Rename staging')(page);
    await dialog(page).getByLabel('New name').fill('preview');
    await dialog(page).getByText('These tokens stop working here.').waitFor();
  };
  const deleting: Show = async (page) => {
    await environments(page);
    await page.getByRole('button', { name: 'More actions for staging' }).click();
    await page.getByRole('menuitem', { name: 'Delete staging' }).click();
    await dialog(page).getByText('These tokens stop working here.').waitFor();
  };
  const unprotecting: Show = async (page) => {
    await environments(page);
    await page.getByRole('switch', { name: 'Protect production' }).press(' ');
    await dialog(page).waitFor();
  };
  const token = heading('deploy pipeline');
  const revoking: Show = async (page) => {
    await opened(token, /^Revoke/)(page);
    await dialog(page)
      .getByText(/^Last used/)
      .waitFor();
  };
  return [
    { name: 'tokens', path: `${project}/tokens`, show: text('deploy pipeline') },
    { name: 'create-token', path: `${project}/tokens`, show: opened(heading('Tokens'), 'Create token') },
    { name: 'token-activity', path: `${project}/tokens/${tokenId}`, show: token },
    { name: 'token-revoke', path: `${project}/tokens/${tokenId}`, show: revoking },
    { name: 'token-rotate', path: `${project}/tokens/${tokenId}`, show: opened(token, /^Rotate/) },
    { name: 'clients', path: `${project}/clients`, show: text('No program follows this project') },
    { name: 'environments', path: `${project}/environments`, show: environments },
    {
      name: 'create-environment',
      path: `${project}/environments`,
      show: opened(environments, 'Create environment'),
    },
    { name: 'rename-environment', path: `${project}/environments`, show: renaming },
    { name: 'unprotect-environment', path: `${project}/environments`, show: unprotecting },
    { name: 'delete-environment', path: `${project}/environments`, show: deleting },
    { name: 'audit-log', path: `${project}/audit`, show: text('deploy pipeline') },
    {
      name: 'audit-log-none',
      path: `${project}/audit?action=flag.delete`,
      show: text('Nothing recorded here'),
    },
    {
      name: 'project-settings',
      path: `${project}/settings`,
      show: (page) => page.getByRole('switch', { name: 'Evaluation API access' }).waitFor(),
    },
  ];
}

function organisationScreens(demo: FurnishedDemo): readonly Screen[] {
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
      show: (page) => page.getByText(/^Mail is not configured/).waitFor(),
    },
    { name: 'settings-you', path: '/console/settings?tab=you', show: text('this session') },
    {
      name: 'audit-log-organisation',
      path: `/console/projects/${demo.projectId}/audit?scope=organisation`,
      show: text('deploy pipeline'),
    },
    { name: 'organisation-log', path: '/console/audit', show: text('deploy pipeline') },
  ];
}

function frameScreens(demo: FurnishedDemo): readonly Screen[] {
  const path = `/console/projects/${demo.projectId}/flags`;
  const pressed =
    (key: string): Show =>
    async (page) => {
      await heading('Flags')(page);
      await page.keyboard.press(key);
      await dialog(page).waitFor();
    };
  const found: Show = async (page) => {
    await pressed('Control+k')(page);
    await page.keyboard.type('search');
    await page.getByRole('option', { name: /search-suggestions/ }).waitFor();
  };
  const navigation: Show = async (page) => {
    await heading('Flags')(page);
    const button = page.getByRole('button', { name: 'Navigation' });
    if (await button.isVisible()) await button.click();
    await page.getByRole('button', { name: /^Project: / }).click();
    await page.getByRole('menuitem', { name: 'All projects' }).waitFor();
  };
  return [
    { name: 'navigation', path, show: navigation },
    { name: 'palette', path, show: pressed('Control+k') },
    { name: 'palette-found', path, show: found },
    { name: 'keyboard-help', path, show: pressed('?') },
    { name: 'not-found', path: '/console/no/such/page', show: (page) => page.getByRole('alert').waitFor() },
  ];
}

/** Every screen of the console over the demo. */
export function screensOf(demo: FurnishedDemo): readonly Screen[] {
  return [
    ...doorScreens(demo),
    ...flagScreens(demo),
    ...audienceScreens(demo),
    ...projectScreens(demo),
    ...organisationScreens(demo),
    ...frameScreens(demo),
    ...changingScreens(demo),
  ];
}

/** The pages that every member can open, without any button that only some have. */
export function commonScreens(demo: FurnishedDemo): readonly Screen[] {
  const project = `/console/projects/${demo.projectId}`;
  const flag = `${project}/flags/${demo.flagId}`;
  const named = heading(demo.flagName);
  return [
    { name: 'flags', path: `${project}/flags`, show: text('apple-pay') },
    { name: 'flag', path: flag, show: named },
    { name: 'flag-history', path: `${flag}?tab=history`, show: named },
    { name: 'flag-evaluations', path: `${flag}?tab=evaluations`, show: named },
    { name: 'flag-try', path: `${flag}?tab=try`, show: named },
    { name: 'flag-code', path: `${flag}?tab=code`, show: named },
    {
      name: 'audiences',
      path: `/console/projects/${demo.projectId}/audiences`,
      show: text('Nordic testers'),
    },
    {
      name: 'audience',
      path: `/console/projects/${demo.projectId}/audiences/${demo.audienceId}`,
      show: heading('Members'),
    },
    { name: 'tokens', path: `${project}/tokens`, show: text('deploy pipeline') },
    { name: 'token', path: `${project}/tokens/${demo.tokenId}`, show: heading('deploy pipeline') },
    { name: 'clients', path: `${project}/clients`, show: heading('Clients') },
    { name: 'environments', path: `${project}/environments`, show: text('production') },
    { name: 'audit-log', path: `${project}/audit`, show: text('deploy pipeline') },
    { name: 'project-settings', path: `${project}/settings`, show: heading('Project settings') },
    { name: 'projects', path: '/console/projects', show: heading('Projects') },
    { name: 'members', path: '/console/members', show: heading('Members') },
    { name: 'organisation-log', path: '/console/audit', show: heading('Organisation log') },
    { name: 'settings-organisation', path: '/console/settings', show: heading('Settings') },
    { name: 'settings-you', path: '/console/settings?tab=you', show: text('this session') },
  ];
}
