import t from 'tap';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { createFlag, dialog, finishDialog, goTo } from './support/console-steps.ts';
import { applied } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

const prepare = applied({
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ ...owner, role: 'owner' }],
      projects: [{ name: 'shop', environments: ['production'], flags: [{ name: 'checkout' }] }],
    },
  ],
});

await consoleTest(
  t,
  'a renamed flag keeps its name, until another flag takes it after a question',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('button', { name: 'Edit name, description, tags' }).click();
    const nameField = page.getByRole('textbox', { name: 'Name' });
    await nameField.fill('payment');
    await page.getByRole('button', { name: 'Add to draft' }).click();
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('button', { name: 'Stop answering to checkout' }).waitFor();

    // A pipeline creates a flag of the former name: programs that ask for it still get the first one.
    const call = consoleCaller(page);
    const projectId = new URL(page.url()).pathname.split('/')[3];
    const wanted = { name: 'ci', permission: 'write', environments: null, expiryDays: 0 };
    const { secret } = await call<{ secret: string }>('POST', `/projects/${projectId}/tokens`, wanted);
    const client = createHttpClient(t, { port: stage.server.port });
    const sent = {
      method: 'POST',
      path: '/api/v1/flags',
      body: '{"name":"checkout"}',
      headers: bearer(secret),
    };
    t.equal((await client.send(sent)).status, 201);
    await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
    await page.getByText('answers to its id only').waitFor();
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('button', { name: 'Let this flag answer to the name' }).click();
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await page.getByText('Takes the name').waitFor();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('answers to its id only').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
    await page.getByRole('button', { name: 'Create flag' }).click();
    await nameField.fill('payment');
    await page.getByText('This name is taken by').waitFor();
  },
);

await consoleTest(
  t,
  'a project gets a slug, which is shown where it works and opens its pages',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('link', { name: 'checkout' }).waitFor();
    await goTo(page, 'Projects');
    await page.getByRole('button', { name: 'Create project' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Web Shop');
    t.equal(await dialog(page).getByRole('textbox', { name: 'Slug' }).inputValue(), 'web-shop');
    await finishDialog(page, 'Create project');
    await createFlag(page, 'gift-cards');
    const flagPath = new URL(page.url()).pathname;
    await goTo(page, 'Project settings');
    const field = page.getByRole('textbox', { name: 'Slug of the project' });
    await field.fill('Store');
    await page.getByText('Use lower-case letters').first().waitFor();
    await field.fill('store');
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    await dialog(page).getByText('Addresses with web-shop go on working').waitFor();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Former slugs, which still work: web-shop').waitFor();
    const codeOf = async (kind: string) => {
      await page.goto(
        `${new URL(page.url()).origin}${flagPath.replace(/projects\/\w{20}/, 'projects/web-shop')}`,
      );
      await page.getByRole('tab', { name: 'Code' }).click();
      await page.getByRole('tab', { name: kind, exact: true }).click();
      t.equal(new URL(page.url()).pathname, flagPath, 'the address of the page has the id');
      return page.getByRole('tabpanel').getByRole('code').allTextContents();
    };
    t.match((await codeOf('burgee-client')).join(), 'project: "store"');
    const id = flagPath.split('/')[3] ?? '';
    t.match((await codeOf('Node.js')).join(), `/projects/${id}/production`);
    await goTo(page, 'Project settings');
    await page.getByRole('switch', { name: 'Public slug' }).press('Space');
    await page.getByRole('switch', { name: 'Public slug', checked: true }).waitFor();
    t.match((await codeOf('Node.js')).join(), '/projects/store/production');
    await goTo(page, 'Project settings');
    await page.getByRole('switch', { name: 'Public slug' }).press('Space');
    await finishDialog(page, 'Stop');
    await page.getByRole('switch', { name: 'Public slug', checked: false }).waitFor();
  },
);
