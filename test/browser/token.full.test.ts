import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createHttpClient } from '../support/http-client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type ConsoleStage, consoleTest } from './support/console-stage.ts';
import {
  card,
  createAudience,
  createFlag,
  createProject,
  createToken,
  dialog,
  finishDialog,
  goTo,
  notice,
  saveDraft,
  takeSecret,
} from './support/console-steps.ts';
import { becomeOwner, owner } from './support/sign-in.ts';

t.setTimeout(180_000);

type Api = ReturnType<typeof apiOf>;

/** A pipeline: an HTTP client with a token. */
function apiOf(t: Test, { server }: ConsoleStage) {
  const http = createHttpClient(t, { port: server.port });
  return async (secret: string, method: string, path: string, body?: unknown) => {
    const answer = await http.send({
      method,
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: JSON.parse(answer.text) as Record<string, unknown> };
  };
}

interface Pipeline {
  readonly page: Page;
  readonly api: Api;
  readonly flagId: string;
}

const flagName = 'checkout-redesign';

/** A pipeline switches a flag while its page is open. */
async function changeShowsWithoutReload(
  t: Test,
  secret: string,
  { page, api, flagId }: Pipeline,
): Promise<void> {
  await goTo(page, 'Flags');
  await page.getByRole('link', { name: flagName }).click();
  const staging = card(page, 'staging');
  t.equal(await staging.getByRole('switch').isChecked(), false);
  let navigations = 0;
  page.on('framenavigated', () => {
    navigations += 1;
  });
  const patched = await api(secret, 'PATCH', `/flags/${flagId}?env=staging`, {
    enabled: true,
    trafficPercentage: 100,
  });
  t.match(patched, { status: 200, json: { changed: true } });
  await staging.getByRole('switch', { checked: true }).waitFor();
  t.equal(await staging.getByLabel('Rollout in percent').first().inputValue(), '100%');
  t.equal(navigations, 0, 'without a reload');
}

/** A refused request is shown on the token's page, and mailed to the Owner. */
async function denialIsSeen(
  t: Test,
  mail: MailServer,
  secret: string,
  { page, api, flagId }: Pipeline,
): Promise<void> {
  const denied = await api(secret, 'PATCH', `/flags/${flagId}?env=production`, { enabled: true });
  t.match(denied, { status: 403, json: { error: 'Environment not permitted' } });
  await goTo(page, 'Tokens');
  await page.getByRole('link', { name: 'pipeline', exact: true }).click();
  const denials = page.getByRole('region', { name: 'Refused requests' });
  await denials.getByRole('cell', { name: 'production' }).waitFor();
  t.match(await denials.textContent(), /PATCH \/api\/v1\/flags\/:?\{?id/);
  t.match(await denials.textContent(), /limited to other environments.*Use a token for this environment/);
  const named = denials.getByRole('link', { name: flagName });
  t.match(await named.getAttribute('href'), new RegExp(`/flags/${flagId}$`));
  await page.getByText('Refusals mailed to').waitFor();
  await page.getByRole('definition').filter({ hasText: owner.name }).first().waitFor();
  const uses = page.getByRole('region', { name: 'Recent activity' });
  await uses.getByRole('cell', { name: 'staging' }).waitFor();
  await mail.received(1);
  t.same(mail.mails[0]?.to, [owner.email]);
  t.match(mail.mails[0]?.raw, /pipeline/);
  t.match(mail.mails[0]?.raw, /production/);
}

/** The old secret ends when the new one begins. @returns the new one */
async function rotate(t: Test, secret: string, { page, api }: Pipeline): Promise<string> {
  await page.getByRole('button', { name: 'Rotate pipeline' }).click();
  await dialog(page).getByRole('button', { name: 'Rotate token' }).click();
  const next = await takeSecret(page, 'pipeline');
  t.not(next, secret);
  // The page of the revoked one leads to its successor.
  await page.getByRole('link', { name: 'Its successor' }).click();
  await page.getByRole('button', { name: /^Rotate/ }).waitFor();
  t.match(await api(secret, 'GET', '/token'), { status: 401, json: { error: 'Token revoked' } });
  t.match(await api(next, 'GET', '/token'), {
    status: 200,
    json: { name: 'pipeline', permission: 'write', environments: ['staging'] },
  });
  return next;
}

/** The warning names the token, which then stops working. */
async function renameWarns(t: Test, secret: string, { page, api, flagId }: Pipeline): Promise<void> {
  await goTo(page, 'Environments');
  await page.getByRole('button', { name: 'Rename staging' }).click();
  await dialog(page).getByLabel('New name').fill('preview');
  const warning = dialog(page).getByText('These tokens stop working here.');
  await warning.waitFor();
  t.equal(await dialog(page).getByRole('link', { name: 'pipeline' }).count(), 1);
  await finishDialog(page, 'Rename');
  await notice(page, 'staging is now preview.').waitFor();
  const patch = { enabled: false };
  t.match(await api(secret, 'PATCH', `/flags/${flagId}?env=preview`, patch), {
    status: 403,
    json: { error: 'Environment not permitted' },
  });
  t.match(await api(secret, 'PATCH', `/flags/${flagId}?env=staging`, patch), { status: 400 });
  await goTo(page, 'Tokens');
  const row = page.getByRole('row').filter({ hasText: 'pipeline' }).filter({ hasText: 'active' });
  t.equal(await row.getByTitle('No environment has this name').textContent(), 'staging');
}

/** An audience in use by a flag cannot be deleted; then both are deleted. */
async function audienceThenDelete(
  t: Test,
  { page, flagId }: Pipeline,
  ask: () => Promise<boolean>,
): Promise<void> {
  await goTo(page, 'Flags');
  await page.getByRole('link', { name: flagName }).click();
  const preview = card(page, 'preview');
  await preview.getByRole('button', { name: '75%' }).click();
  await preview.getByRole('combobox', { name: 'Audience' }).click();
  await page.getByRole('option', { name: 'Pro customers' }).click();
  await saveDraft(page);
  await notice(page, `Saved 2 changes of ${flagName}.`).waitFor();
  t.equal(await ask(), false, 'a caller of another plan gets off');
  await goTo(page, 'Audiences');
  await page.getByRole('link', { name: 'Pro customers' }).click();
  await page.getByRole('button', { name: 'Delete audience …' }).click();
  await page.getByRole('dialog', { name: 'Pro customers is still in use' }).waitFor();
  await dialog(page).getByRole('link', { name: flagName }).click();
  await page.getByRole('heading', { level: 1, name: flagName }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete flag …' }).click();
  const confirm = dialog(page).getByRole('button', { name: 'Delete flag' });
  t.equal(await confirm.isEnabled(), false, 'disabled until the name is typed');
  await dialog(page).getByLabel(/^Type/).fill(flagName);
  await finishDialog(page, 'Delete flag');
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  t.notMatch(page.url(), new RegExp(flagId));
}

await t.test('a token from its creation to its revocation', async (t) => {
  const mail = await startMailServer(t);
  const settings = { BURGEE_SMTP_URL: mail.url };
  await consoleTest(t, 'in the console and over HTTP', { settings }, async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await becomeOwner(stage, window);
    await createProject(page, 'shop', ['canary']);
    await createAudience(page, 'Pro customers', { attribute: 'plan', values: ['pro', 'team'] });
    const flagId = await createFlag(page, flagName);
    const wish = { name: 'pipeline', permission: 'Read and write', environments: ['staging'] } as const;
    const secret = await createToken(page, wish);
    const api = apiOf(t, stage);
    const pipeline = { page, api, flagId };
    t.match(await api(secret, 'GET', '/token'), { status: 200, json: { name: 'pipeline' } });
    await changeShowsWithoutReload(t, secret, pipeline);
    await denialIsSeen(t, mail, secret, pipeline);
    const next = await rotate(t, secret, pipeline);
    await renameWarns(t, next, pipeline);
    const http = createHttpClient(t, { port: stage.server.port });
    const ask = async (): Promise<boolean> => {
      const answer = await http.send({ path: `/v1/flags/${flagId}?env=preview&plan=free` });
      return (JSON.parse(answer.text) as { enabled: boolean }).enabled;
    };
    t.equal(await ask(), true);
    // The event of the deletion may reach the page before it has left the flag.
    window.watch.expectStatus(404);
    await audienceThenDelete(t, pipeline, ask);
    t.match(await api(next, 'GET', '/flags'), { status: 200, json: { flags: [] } });
  });
});

await consoleTest(
  t,
  'a secret is copied where the page has no clipboard, over plain HTTP',
  {},
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    // As where the address is not the machine's own.
    await page.addInitScript('delete Navigator.prototype.clipboard');
    await becomeOwner(stage, window);
    await createProject(page, 'shop', []);
    await createToken(page, { name: 'reader', permission: 'Read', environments: null });
    await page.getByRole('button', { name: 'Rotate reader' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate token' }).click();
    await dialog(page).getByRole('button', { name: 'Copy token secret' }).click();
    await dialog(page).getByRole('button', { name: 'token secret copied' }).waitFor();
    const secret = await takeSecret(page, 'reader');
    await page.getByRole('button', { name: 'Create token' }).click();
    const field = dialog(page).getByRole('textbox', { name: 'Name', exact: true });
    await field.press('Control+V');
    t.equal(await field.inputValue(), secret);
  },
);
