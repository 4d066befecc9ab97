import type { Page, Request } from 'playwright-core';
import t from 'tap';
import { anotherMember, prepareShop, shopAdmin } from './support/another-member.ts';
import { type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(600_000);

async function enter(window: ConsoleWindow): Promise<Page> {
  await signIn(window, owner);
  await window.page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
  return window.page;
}

await consoleTest(
  t,
  "every page shows another member's changes",
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const page = await enter(await stage.window());
    const reloads: string[] = [];
    page.on('load', () => reloads.push(page.url()));

    const body = { permission: 'read', environments: null, expiryDays: 30 };
    await goTo(page, 'Tokens');
    const { token } = await other.ask('POST', '/projects/{project}/tokens', { name: 'nightly', ...body });
    await page.getByRole('link', { name: 'nightly', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'nightly' }).waitFor();
    await other.ask('POST', `/projects/{project}/tokens/${token.id}/revoke`);
    await page
      .getByRole('main')
      .getByText(/revoked/i)
      .first()
      .waitFor();

    await goTo(page, 'Environments');
    await other.ask('POST', '/projects/{project}/environments', { name: 'staging' });
    await page.getByRole('main').getByText('staging', { exact: true }).waitFor();

    await goTo(page, 'Audiences');
    const rules = [{ attribute: 'plan', values: ['pro'] }];
    await other.ask('POST', '/projects/{project}/audiences', { name: 'Pro', rules });
    await page.getByRole('link', { name: 'Pro', exact: true }).waitFor();

    await goTo(page, 'Audit log');
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    await page.getByRole('main').getByText('gift-cards').first().waitFor();

    await goTo(page, 'Members');
    await other.ask('POST', '/invitations', { email: 'guest@example.test', role: 'viewer' });
    await page.getByRole('main').getByText('guest@example.test').waitFor();

    await goTo(page, 'Projects');
    const { revision } = await other.ask('GET', '/projects/{project}');
    await other.ask('PATCH', '/projects/{project}', { revision, name: 'store' });
    await page.getByRole('main').getByRole('link', { name: 'store', exact: true }).waitFor();
    await other.ask('POST', '/projects', { name: 'office', isMultiEnvironment: false, isPersonal: false });
    await page.getByRole('main').getByRole('link', { name: 'office', exact: true }).waitFor();
    t.same(reloads, [], 'the page was never loaded again');
  },
);

await consoleTest(t, 'a changed role holds in an open page', { prepare: prepareShop }, async (t, stage) => {
  const window = await stage.window();
  await signIn(window, shopAdmin);
  const { page } = window;
  await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
  await goTo(page, 'Members');
  await page.getByRole('button', { name: 'Invite' }).waitFor();
  // The page requests the invitations once more before it learns that she may not read them.
  window.watch.expectStatus(403);
  const caller = await stage.window();
  await enter(caller);
  await goTo(caller.page, 'Members');
  await caller.page.getByRole('combobox', { name: `Role of ${shopAdmin.name}` }).selectOption('viewer');
  await caller.page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await page.getByRole('button', { name: 'Invite' }).waitFor({ state: 'detached' });
  t.equal(await page.getByRole('combobox').count(), 0);
});

await consoleTest(
  t,
  'a change between the first reading and the stream is not missed',
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const page = await enter(await stage.window());
    const answer = await holdAnswers(page, '**/console/api/projects/*/events*');
    await page.reload();
    await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    answer();
    await page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
    t.pass('it is shown without another change');
  },
);

await consoleTest(
  t,
  'a page that is not live says so, and becomes live again by itself',
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const window = await stage.window();
    const page = await enter(window);
    const events = '**/console/api/projects/*/events*';
    window.watch.expectStatus(503);
    await page.route(events, (route) => route.fulfill({ status: 503, body: '' }));
    await page.reload();
    const sign = page.getByRole('status').filter({ hasText: 'Not connected' });
    await sign.waitFor();
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    await page.unroute(events);
    await sign.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
    t.pass('and shows the changes that it has missed');
  },
);

/** Makes a page believe that its tab is hidden, or in view again. */
function setHidden(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${isHidden ? 'hidden' : 'visible'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

await consoleTest(
  t,
  'a hidden page has no stream, and shows what it has missed when it is in view again',
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const window = await stage.window();
    const page = await enter(window);
    // The page closes its own stream.
    window.watch.expectMessage(/net::ERR_ABORTED/);
    const isStream = (request: Request) => /\/projects\/\w+\/events/.test(request.url());
    const closed = page.waitForEvent('requestfailed', isStream);
    await setHidden(page, true);
    await closed;
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    const opened = page.waitForRequest(isStream);
    await setHidden(page, false);
    await opened;
    await page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
    t.equal(await page.getByText('Not connected').count(), 0);
  },
);

await consoleTest(
  t,
  "a page's own requests, without an action of its user, do not use the session",
  { prepare: prepareShop },
  async (t, stage) => {
    const other = await anotherMember(t, stage.server.port);
    const window = await stage.window();
    await window.page.clock.install();
    const page = await enter(window);
    const isBackground = (request: Request) => request.headers()['x-burgee-background'] === '1';
    const seen: Request[] = [];
    page.on('request', (request) => {
      if (isBackground(request)) seen.push(request);
    });
    // Some seconds after the last key, the page itself reads another member's change.
    await page.clock.fastForward(20_000);
    await other.ask('POST', '/projects/{project}/flags', { name: 'gift-cards' });
    await page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
    t.ok(seen.length > 0, 'the page marked its own request');
    const asked = page.waitForRequest((request) => request.url().endsWith('/audiences'));
    await goTo(page, 'Audiences');
    t.notOk(isBackground(await asked), 'an action of the user is a use');
  },
);
