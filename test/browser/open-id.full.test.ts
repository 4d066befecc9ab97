import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { clientId, clientSecret, startOpenIdProvider } from '../support/open-id-provider.ts';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { becomeOwner, owner } from './support/sign-in.ts';

t.setTimeout(180_000);

const people = {
  olga: { email: owner.email, email_verified: true, name: 'Olga at the provider' },
  nina: { email: 'nina@example.test', email_verified: false, name: 'Nina Newcomer' },
};

/** The provider's address is chosen before it starts: the service and the provider must know each other's. */
const port = await freePort();
const issuer = `http://127.0.0.1:${port}`;
const settings = {
  BURGEE_BASE_URL: 'http://127.0.0.1:0',
  BURGEE_OPEN_ID_ISSUER: issuer,
  BURGEE_OPEN_ID_CLIENT_ID: clientId,
  BURGEE_OPEN_ID_CLIENT_SECRET: clientSecret,
  BURGEE_OPEN_ID_NAME: 'Acme Login',
};

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByRole('heading', { name: 'The provider' }).waitFor();
  await page.getByLabel('Account').fill(login);
  await page.getByRole('button', { name: 'Go on' }).click();
}

async function openWindow(stage: ConsoleStage): Promise<ConsoleWindow> {
  const window = await stage.window();
  window.watch.expectOrigin(issuer);
  return window;
}

const joining = async (t: Test, stage: ConsoleStage): Promise<void> => {
  const first = await openWindow(stage);
  await becomeOwner(stage, first);

  const window = await openWindow(stage);
  const { page } = window;
  window.watch.expectStatus(503);
  await window.open('/console/members');
  await page.getByRole('button', { name: 'Sign in with Acme Login' }).click();
  t.match(await page.getByRole('alert').textContent(), /provider does not answer\./, 'it is down');

  const redirectUrl = `${stage.origin}/console/api/openid/callback`;
  const provider = await startOpenIdProvider(t, { redirectUrl, people, port });
  await page.getByRole('button', { name: 'Sign in with Acme Login' }).click();
  await signInAtProvider(page, 'nina');
  await page.getByText('Acme Login has not verified your email').waitFor();
  t.match(page.url(), /\/console\/sign-in\?/);

  const known = await openWindow(stage);
  await known.open('/console/members');
  await known.page.getByRole('button', { name: 'Sign in with Acme Login' }).click();
  await signInAtProvider(known.page, 'olga');
  await known.page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  t.equal(known.page.url(), `${stage.origin}/console/members`, 'the user is where the link led');
  await known.page.getByText('password, OpenID').waitFor();

  const link = await invite(known.page, stage.origin, people.nina.email);
  const guest = await openWindow(stage);
  await guest.open(link);
  await guest.page.getByRole('button', { name: 'Join with Acme Login' }).click();
  await signInAtProvider(guest.page, 'nina');
  await guest.page.getByRole('button', { name: 'Nina Newcomer' }).waitFor();
  await provider.close();
};

await consoleTest(t, 'people sign in and join with the provider', { settings }, joining);
await consoleTest(t, 'and below a path of a shared host', { settings, basePath: '/shared/burgee' }, joining);

/** @returns path and fragment of the link that is shown */
async function invite(page: Page, origin: string, email: string): Promise<string> {
  const asked = { address: `${origin}/console/api/invitations`, invited: email };
  const url = await page.evaluate(async ({ address, invited }) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'X-Burgee-Console': '1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: invited, role: 'viewer' }),
    });
    const made = (await answer.json()) as { url: string };
    return made.url;
  }, asked);
  return url.slice(url.indexOf('/console/link#'));
}
