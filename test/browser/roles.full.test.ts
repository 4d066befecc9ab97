import t from 'tap';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { applied, provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

const viewer = {
  name: 'Vera Viewer',
  email: 'vera@example.test',
  password: 'a password of a viewer',
  role: 'viewer',
};
const shop = {
  name: 'shop',
  environments: ['production', 'staging'],
  audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
  flags: [{ name: 'gift-cards' }],
  tokens: [{ name: 'ci', permission: 'read' }],
};

const forViewer = provision(shop, { members: [viewer] });
await consoleTest(
  t,
  'a Viewer is told why nothing can be changed',
  { prepare: forViewer },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, viewer);
    await page.getByRole('link', { name: 'gift-cards' }).click();
    await page.getByText('Read-only: ask an Editor for changes.').waitFor();
    // The state is told by values in full ink, and not by controls that are washed out.
    const production = page.getByRole('region', { name: 'production' });
    t.equal(await page.getByRole('switch').count(), 0);
    t.match(await production.getByRole('definition').allTextContents(), ['Off', '0%', 'none', 'Everyone']);
    await goTo(page, 'Audiences');
    await page.getByRole('link', { name: 'Pro', exact: true }).click();
    await page.getByText('Read-only: ask an Editor for changes.').waitFor();
    await goTo(page, 'Environments');
    await page.getByText('Read-only: ask an Admin for changes.').waitFor();
    await goTo(page, 'Project settings');
    await page.getByText('Read-only: ask an Admin for changes.').first().waitFor();
    await goTo(page, 'Tokens');
    await page.getByRole('link', { name: 'ci', exact: true }).waitFor();
    t.equal(await page.getByRole('button', { name: /Create|Rotate|More actions/ }).count(), 0);
  },
);

const ended = { plan: 'free', trialEndsAt: Date.UTC(2026, 0, 31, 12) };
const belowTeams = provision(shop, ended);
await consoleTest(
  t,
  'below Teams the console says what is missing',
  { prepare: belowTeams },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByText('1 flag', { exact: true }).waitFor();
    await goTo(page, 'Audiences');
    await page.getByRole('link', { name: 'Pro', exact: true }).click();
    await page.getByText('changing audiences needs an organisation with the Teams plan').waitFor();
    await goTo(page, 'Tokens');
    await page.getByText('The Management API needs the Teams plan.').waitFor();
    t.equal(await page.getByRole('button', { name: /Create|Rotate|Revoke/ }).count(), 0);
    await goTo(page, 'Settings');
    await page.getByText('Free, Teams trial ended 31 Jan 2026').waitFor();
  },
);

const solo = 'solo@example.test';
const alone = applied({
  organisations: [{ name: 'Acme', plan: 'enterprise' }],
  personalProjects: [{ name: 'mine', owner: solo, flags: [{ name: 'alone' }] }],
});
await consoleTest(
  t,
  'a person without an organisation gets to no dead end',
  { prepare: alone },
  async (t, stage) => {
    const printed = await runBurgeeOrThrow([
      'member',
      'sign-in-link',
      solo,
      '--data-dir',
      stage.server.dataDir,
    ]);
    const { pathname, hash } = new URL(printed.trim());
    const { page, open } = await stage.window();
    await open(`${pathname}${hash}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'alone' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Projects/ }).waitFor();
    t.equal(await page.getByRole('option', { name: /^Members/ }).count(), 0);
    const project = new URL(page.url()).pathname.replace(/\/flags$/, '');
    await open(`${project}/tokens`);
    await page.getByRole('heading', { name: 'A personal project has no tokens' }).waitFor();
    await open(`${project}/environments`);
    await page.getByRole('heading', { name: 'Single environment' }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Create environment' }).count(), 0);
    await open('/console/members');
    await page.getByRole('heading', { name: 'You belong to no organisation' }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0);
    await open('/console/audit');
    await page.getByRole('heading', { name: 'You belong to no organisation' }).waitFor();
  },
);
