import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { dialog } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

const members = Array.from({ length: 12 }, (_, at) => {
  return {
    name: `Member ${at}`,
    email: `m${at}@example.test`,
    role: 'admin',
    password: 'correct horse battery',
  };
});
const prepare = provision({ name: 'shop', environments: ['production'] }, { members });

await consoleTest(
  t,
  'members are found, edited, and leave with their tokens named',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page, open } = window;
    await signIn(window, { email: 'm3@example.test', password: 'correct horse battery' });
    await page.getByRole('link', { name: 'Members', exact: true }).waitFor();
    const call = consoleCaller(page);
    const { projects } = await call<{ projects: { id: string }[] }>('GET', '/projects');
    const wanted = { name: 'of three', permission: 'read', environments: null, expiryDays: 30 };
    await call('POST', `/projects/${projects[0]?.id}/tokens`, wanted);
    const other = await stage.window();
    await signIn(other, owner);
    await other.page.getByRole('link', { name: 'Members', exact: true }).click();
    const search = other.page.getByRole('searchbox', { name: 'Search members' });
    await search.fill('m3@');
    const rows = other.page.getByRole('row');
    await other.page.getByRole('row', { name: /Member 3/ }).waitFor();
    t.equal(await rows.count(), 2, 'the head, and the member');
    t.notMatch(await rows.last().textContent(), /never/, 'it has signed in');

    await other.page.getByRole('button', { name: 'More actions for Member 3' }).click();
    await other.page.getByRole('menuitem', { name: /^Edit/ }).click();
    await dialog(other.page).getByRole('textbox', { name: 'Name' }).fill('Mia');
    await dialog(other.page).getByRole('button', { name: 'Save' }).click();
    await other.page.getByText('Saved Mia.').waitFor();

    await open('/console/settings?tab=you');
    await page.getByRole('textbox', { name: 'Your name' }).fill('Mia M');
    await page.getByRole('button', { name: 'Save name' }).click();
    await other.page.getByRole('button', { name: 'More actions for Mia M' }).click();
    await other.page.getByRole('menuitem', { name: /^Remove/ }).click();
    await dialog(other.page).getByRole('link', { name: 'of three' }).click();
    await other.page.getByRole('heading', { name: 'of three' }).waitFor();
  },
);
