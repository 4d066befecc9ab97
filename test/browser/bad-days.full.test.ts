import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import t, { type Test } from 'tap';
import type { BootedServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { consoleCaller } from './support/console-caller.ts';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { card, dialog, goTo, notice, saveDraft } from './support/console-steps.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { provision } from './support/provision.ts';
import { bootAgain, killServer } from './support/restarting-server.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(600_000);

const on = { enabled: true, trafficPercentage: 100 };
const environments = { production: on, staging: on };
const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  flags: [{ name: 'gift-cards', environments }],
};
const prepare = provision(project);
/** How the connection may break, in Chromium's words. */
const broken =
  /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_\w+|FAILED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)|EventSource/;

interface AuditAnswer {
  readonly entries: readonly { readonly action: string; readonly targetName: string }[];
}

interface Scene {
  readonly page: Page;
  readonly projectId: string;
  /** @returns how many entries of an action the audit log has */
  count(action: string): Promise<number>;
}

/** Opens a flag's page as the Owner. */
async function openFlagPage(window: ConsoleWindow): Promise<Scene> {
  const { page, watch } = window;
  watch.expectMessage(broken);
  await signIn(window, owner);
  await page.getByRole('link', { name: 'gift-cards', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'gift-cards' }).waitFor();
  const projectId = new URL(page.url()).pathname.split('/')[3] ?? '';
  const count = async (action: string): Promise<number> => {
    const call = consoleCaller(page);
    const path = `/projects/${projectId}/audit?action=${action}`;
    return (await call<AuditAnswer>('GET', path)).entries.length;
  };
  return { page, projectId, count };
}

type Break = (route: Route) => Promise<void>;

/** Breaks the next request that changes something below an address. */
async function breakNext(page: Page, method: string, addresses: string, how: Break): Promise<void> {
  let isBroken = false;
  await page.route(addresses, async (route) => {
    if (isBroken || route.request().method() !== method) return await route.fallback();
    isBroken = true;
    await how(route);
  });
}

/** The change is stored, and the server dies before its answer is sent. */
function storedAndKilled(server: BootedServer): Break {
  return async (route) => {
    await route.fetch();
    await killServer(server);
    await route.abort('connectionreset');
  };
}

/** The server dies before it has read the change. */
function killedBefore(server: BootedServer): Break {
  return async (route) => {
    await killServer(server);
    await route.abort('connectionreset');
  };
}

const flagAddress = '**/console/api/projects/*/flags/*';
const undecided = /Your change may or may not have been saved/;

function turn(page: Page, environment: string): Promise<void> {
  return card(page, environment).getByRole('switch').press('Space');
}

async function stateOf(page: Page, environment: string): Promise<string> {
  return (await card(page, environment).getByRole('switch').isChecked()) ? 'on' : 'off';
}

async function rollout(page: Page, environment: string, step: string): Promise<void> {
  await card(page, environment).getByRole('button', { name: step, exact: true }).click();
}

await consoleTest(
  t,
  'a switch that is pressed without a connection never acts later',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page, count } = await openFlagPage(window);
    // The page notices without a timer, and nothing moves.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const place = await card(page, 'staging').boundingBox();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Not connected' }).waitFor();
    t.same(await card(page, 'staging').boundingBox(), place);
    await page.clock.resume();
    await turn(page, 'production');
    await turn(page, 'staging');
    await notice(
      page,
      /^Switching gift-cards off in production: .* may or may not have been saved/,
    ).waitFor();
    await notice(page, /^Switching gift-cards off in staging: /).waitFor();
    await turn(page, 'staging');
    await card(page, 'staging').locator(':not([aria-busy])').getByRole('switch').waitFor();
    t.equal(await notice(page, /staging: /).count(), 1, 'one notice for a switch, however often it fails');
    await page.context().setOffline(false);
    t.equal(await stateOf(page, 'production'), 'on', 'the switch shows what is stored');
    t.equal(await count('flag.edit'), 0, 'nothing was stored');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await notice(page, /gift-cards is off in production/).waitFor();
    t.equal(await count('flag.edit'), 1);
    t.equal(await notice(page, /in production: /).count(), 0, 'the failure is history');
  },
);

await consoleTest(
  t,
  'a switch shows what is stored until there is an answer',
  { prepare },
  async (t, stage) => {
    const { page, count } = await openFlagPage(await stage.window());
    const answer = await holdAnswers(page, flagAddress);
    const production = card(page, 'production');
    await turn(page, 'production');
    await production.getByText('Switching off …', { exact: true }).waitFor();
    t.equal(await production.getByRole('switch').getAttribute('aria-busy'), 'true');
    t.equal(await stateOf(page, 'production'), 'on');
    await goTo(page, 'Flags');
    const listed = page.getByRole('switch', { name: 'gift-cards in production' });
    t.match(await listed.locator('..').textContent(), /On 100%.*Switching off …/);
    t.equal(await listed.getAttribute('aria-busy'), 'true');
    t.ok(await listed.isChecked());
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /gift-cards.*On 100%/ }).waitFor();
    await dialog(page).getByText('Switching off …').waitFor();
    await page.keyboard.press('Escape');
    answer();
    await page.getByRole('switch', { name: 'gift-cards in production', checked: false }).waitFor();
    await page.getByText('Switching off …').waitFor({ state: 'detached' });
    t.equal(await count('flag.edit'), 1);
  },
);

await consoleTest(
  t,
  'after a switch without an answer the page shows what is stored, and nothing is stored twice',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    window.watch.expectStatus(502);
    const { page, count } = await openFlagPage(window);
    await breakNext(page, 'PATCH', flagAddress, storedAndKilled(stage.server));
    await turn(page, 'production');
    await notice(page, undecided).waitFor();
    await bootAgain(t, stage.server);
    await card(page, 'production').getByRole('switch', { checked: false }).waitFor();
    t.equal(await count('flag.edit'), 1, 'it was stored');

    await breakNext(page, 'PATCH', flagAddress, (route) =>
      route.fulfill({ status: 502, body: 'Bad gateway' }),
    );
    await turn(page, 'staging');
    await notice(page, /Bad Gateway\. Your change may or may not have been saved/).waitFor();
    t.equal(await stateOf(page, 'staging'), 'on');
    t.equal(await count('flag.edit'), 1, 'a proxy kept the second one');
  },
);

await consoleTest(
  t,
  'a draft stays when the server is killed before it is saved, and can be saved then',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page, count } = await openFlagPage(window);
    await rollout(page, 'staging', '50%');
    await rollout(page, 'production', '25%');
    await breakNext(page, 'PATCH', flagAddress, killedBefore(stage.server));
    await page.getByRole('button', { name: 'Review 2 changes' }).click();
    await dialog(page).getByRole('button', { name: 'Save 2 changes' }).click();
    await dialog(page).getByText(undecided).waitFor();
    await bootAgain(t, stage.server);
    await dialog(page).getByRole('button', { name: 'Save 2 changes' }).click();
    await notice(page, 'Saved 2 changes of gift-cards.').waitFor();
    t.equal(await count('flag.edit'), 1, 'one entry');
  },
);

/** Ends all sessions of the Owner from another browser, as a new password does. */
async function endSession(stage: ConsoleStage, page: Page): Promise<void> {
  const call = consoleCaller(page);
  interface Sessions {
    readonly sessions: readonly { readonly id: string; readonly isCurrent: boolean }[];
  }
  const { sessions } = await call<Sessions>('GET', '/sessions');
  const other = await stage.window();
  await signIn(other, owner);
  await other.page.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
  const present = sessions.find(({ isCurrent }) => isCurrent)?.id ?? '';
  await consoleCaller(other.page)('DELETE', `/sessions/${present}`);
}

await consoleTest(
  t,
  'a draft outlives its session: signed in again in another tab, it is saved',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page, count } = await openFlagPage(window);
    await rollout(page, 'staging', '50%');
    await rollout(page, 'production', '25%');
    window.watch.expectStatus(401);
    await endSession(stage, page);
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    t.match(await ended.textContent(), /2 (unsaved )?changes/);
    const opened = page.context().waitForEvent('page');
    await ended.getByRole('link', { name: 'Sign in in a new tab' }).click();
    const tab = await opened;
    await tab.locator('input[type=email]:focus').waitFor();
    await tab.getByLabel('Email').fill(owner.email);
    await tab.getByRole('textbox', { name: 'Password' }).fill(owner.password);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.getByRole('link', { name: 'gift-cards', exact: true }).waitFor();
    await ended.getByRole('button', { name: 'Stay here' }).click();
    await saveDraft(page);
    await notice(page, 'Saved 2 changes of gift-cards.').waitFor();
    t.equal(await count('flag.edit'), 1);
  },
);

await consoleTest(
  t,
  'after a kill of the server a page is live again by itself',
  { prepare },
  async (t: Test, stage) => {
    const [mine, other] = [await stage.window(), await stage.window()];
    const { page } = await openFlagPage(mine);
    await killServer(stage.server);
    const sign = page.getByRole('status').filter({ hasText: 'Not connected' });
    await sign.waitFor();
    await bootAgain(t, stage.server);
    await sign.waitFor({ state: 'detached' });
    const theirs = await openFlagPage(other);
    await turn(theirs.page, 'staging');
    await card(page, 'staging').getByRole('switch', { checked: false }).waitFor();
    t.equal(await stateOf(page, 'production'), 'on');
  },
);

await consoleTest(
  t,
  'after a restore of a backup an open list, and a draft, show what is stored now',
  { prepare },
  async (t, stage) => {
    const [draft, list] = [await stage.window(), await stage.window()];
    const { page } = await openFlagPage(draft);
    await openFlagPage(list);
    await goTo(list.page, 'Flags');
    const scratch = temporaryDirectory(t);
    const [backup, dataDir] = [join(scratch, 'backup'), join(scratch, 'restored')];
    await runBurgeeOrThrow(['backup', backup, '--data-dir', stage.server.dataDir]);
    await turn(page, 'production');
    const listed = list.page.getByRole('switch', { name: 'gift-cards in production' });
    await list.page.getByRole('switch', { name: 'gift-cards in production', checked: false }).waitFor();
    await rollout(page, 'staging', '50%');
    await killServer(stage.server);
    await runBurgeeOrThrow(['restore', backup, '--data-dir', dataDir]);
    await bootAgain(t, { dataDir, port: stage.server.port });
    await list.page.getByRole('switch', { name: 'gift-cards in production', checked: true }).waitFor();
    await card(page, 'production').getByRole('switch', { checked: true }).waitFor();
    await saveDraft(page);
    await notice(page, 'Saved 1 change of gift-cards.').waitFor();
    t.ok(await listed.isChecked());
  },
);
