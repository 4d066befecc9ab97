import t from 'tap';
import { anotherMember, prepareShop } from './support/another-member.ts';
import { consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(120_000);

/* The proxy has nothing outside of the path: a request that leaves it is a 404, which fails the test. */
const options = { prepare: prepareShop, basePath: '/shared/burgee' };

await consoleTest(
  t,
  'pages, links and changes work below a path of a shared host',
  options,
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    const checkout = page.getByRole('link', { name: 'checkout', exact: true });
    const address = (await checkout.getAttribute('href')) ?? '';
    t.match(address, /^\/shared\/burgee\/console\/projects\/\w+\/flags\/\w+$/);
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    await page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();

    await page.goto(new URL(address, stage.origin).href);
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText(`curl '${stage.origin}/v1/flags/`).waitFor();
    const documentation = page.getByRole('link', { name: 'Which client for whom' });
    t.equal(await documentation.getAttribute('href'), `${stage.origin}/docs/clients`);
    await goTo(page, 'Tokens');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();

    await page.goto(`${stage.origin}/docs/openapi`);
    await page.getByText(`${stage.origin}/api/v1/flags`).first().waitFor();
    await page.goto(`${stage.origin}/docs/`);
    t.equal(page.url(), `${stage.origin}/docs`);
    await page.goto(`${stage.origin}/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    t.match(page.url(), `${stage.origin}/console/`);

    const [cookie] = await page.context().cookies();
    t.equal(cookie?.path, '/shared/burgee/console', "the host's other services do not get it");
    await page.getByRole('button', { name: owner.name }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${stage.origin}/console/sign-in`);
  },
);

await consoleTest(
  t,
  'without base-url, pages show the address in the browser',
  { prepare: prepareShop },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    const origin = stage.origin.replace('127.0.0.1', 'localhost');
    window.watch.expectOrigin(origin);
    await page.goto(`${origin}/console/`);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'checkout', exact: true }).click();
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText(`curl '${origin}/v1/flags/`).waitFor();
    await goTo(page, 'Members');
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.getByRole('dialog').getByLabel('Email').fill('guest@example.test');
    await page.getByRole('dialog').getByRole('button', { name: 'Create invitation link' }).click();
    const link = page.getByRole('dialog').locator('code');
    t.match(
      await link.textContent(),
      `${stage.origin}/console/link#`,
      'a link to send does not use the requested host',
    );
    await page.getByRole('dialog').getByText('set BURGEE_BASE_URL').waitFor();
  },
);
