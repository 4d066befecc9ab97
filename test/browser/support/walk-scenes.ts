import type { Locator, Page } from 'playwright-core';
import { createHttpClient } from '../../support/http-client.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { consoleCaller } from './console-caller.ts';
import type { ConsoleStage } from './console-stage.ts';
import { card, dialog, notice } from './console-steps.ts';
import { longTag } from './walk-world.ts';

/** What the scenes need to find their way. */
export interface WalkPlace {
  readonly t: Lifetime;
  readonly stage: ConsoleStage;
  /** Ids of projects by name, and of flags by `project/flag`; of several with one name the last. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Does what somebody did who met it. @returns what the picture shows: the smallest rectangle with all of it */
type Take = (page: Page, place: WalkPlace) => Promise<readonly Locator[]>;

/** One thing that was found on the walk. */
export interface WalkScene {
  readonly name: string;
  /** Who looks; the Owner unless given. */
  readonly by?: 'editor' | 'viewer';
  readonly width?: 390;
  readonly before: Take;
  /** Null: the same steps. */
  readonly now: Take | null;
}

function at(path: (place: WalkPlace) => string, take: Take): Take {
  return async (page, place) => {
    await page.goto(`${place.stage.origin}${path(place)}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return await take(page, place);
  };
}

const project = (name: string, rest: string) => (place: WalkPlace) =>
  `/console/projects/${place.ids[name]}${rest}`;
const flag =
  (name: string, rest = '') =>
  (place: WalkPlace) => {
    const [owner = ''] = name.split('/');
    return `/console/projects/${place.ids[owner]}/flags/${place.ids[name]}${rest}`;
  };

function turn(page: Page, environment: string): Promise<void> {
  return card(page, environment).getByRole('switch').press('Space');
}

async function confirmed(page: Page, button: string | RegExp): Promise<void> {
  await dialog(page).getByRole('button', { name: button }).first().click();
  await dialog(page).waitFor({ state: 'detached' });
}

function rollout(page: Page, environment: string, step: string): Promise<void> {
  return card(page, environment).getByRole('button', { name: step, exact: true }).click();
}

async function chooseAudience(page: Page, environment: string): Promise<void> {
  await card(page, environment).getByRole('combobox', { name: 'Audience' }).click();
  await page.getByRole('option', { name: 'Beta testers' }).click();
}

function notices(page: Page): Locator {
  return page.getByRole('region', { name: 'Notifications' });
}

function main(page: Page): Locator {
  return page.getByRole('main');
}

const opensDialog =
  (button: string | RegExp): Take =>
  async (page) => {
    await page.getByRole('button', { name: button }).first().click();
    await dialog(page).waitFor();
    return [dialog(page)];
  };

/** Faults that cost most at three in the morning. */
const switches: readonly WalkScene[] = [
  {
    name: 'switch-with-draft',
    before: at(flag('shop/checkout'), async (page) => {
      await rollout(page, 'production', '10%');
      await chooseAudience(page, 'production');
      await turn(page, 'production');
      await confirmed(page, 'Switch on');
      await notice(page, /is on in production/).waitFor();
      return [card(page, 'production'), notices(page)];
    }),
    now: at(flag('shop/checkout'), async (page) => {
      await rollout(page, 'production', '10%');
      await chooseAudience(page, 'production');
      await turn(page, 'production');
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
  },
  {
    name: 'on-for-nobody',
    before: at(flag('shop/fresh'), async (page) => {
      await turn(page, 'development');
      await notice(page, /is on in development/).waitFor();
      return [card(page, 'development'), notices(page)];
    }),
    now: at(flag('shop/fresh'), async (page) => {
      await turn(page, 'development');
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
  },
  {
    name: 'on-for-nobody-list',
    before: at(project('shop', '/flags'), async (page) => {
      await page.getByRole('link', { name: 'nobody-yet', exact: true }).waitFor();
      return [page.getByRole('row').filter({ hasText: 'nobody-yet' }), page.getByRole('row').first()];
    }),
    now: null,
  },
  {
    name: 'stated-effect',
    before: at(flag('shop/gift-cards'), async (page) => {
      await rollout(page, 'production', '10%');
      await turn(page, 'production');
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
    now: null,
  },
  {
    name: 'undo-in-production',
    before: at(flag('shop/evaluated'), async (page) => {
      await turn(page, 'production');
      await confirmed(page, 'Switch off');
      await notice(page, /is off in production/).waitFor();
      await page.keyboard.press('u');
      await notice(page, /is on in production/).waitFor();
      return [card(page, 'production'), notices(page)];
    }),
    now: at(flag('shop/evaluated'), async (page) => {
      await turn(page, 'production');
      await confirmed(page, 'Switch off');
      await notice(page, /is off in production/).waitFor();
      await page.keyboard.press('u');
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
  },
];

async function paletteWith(page: Page, text: string): Promise<readonly Locator[]> {
  await page.keyboard.press('Control+k');
  await dialog(page).waitFor();
  await page.keyboard.type(text);
  return [dialog(page)];
}

const found: readonly WalkScene[] = [
  {
    name: 'names-stay',
    before: at(project('kubernetes-cluster-addons', '/flags'), async (page) => {
      await page.getByRole('link', { name: 'feature-001', exact: true }).waitFor();
      await page
        .getByRole('columnheader', { name: /cluster-30/ })
        .first()
        .scrollIntoViewIfNeeded();
      return [main(page)];
    }),
    now: at(project('kubernetes-cluster-addons', '/flags'), async (page) => {
      const grid = page.getByRole('grid', { name: 'Flags' });
      await page.getByRole('link', { name: 'feature-001', exact: true }).waitFor();
      await grid.hover();
      await page.mouse.wheel(3_000, 0);
      return [main(page)];
    }),
  },
  {
    name: 'same-name',
    before: at(project('shop', '/flags'), async (page) => {
      await page.getByRole('button', { name: 'Create flag' }).click();
      await dialog(page).getByLabel('Name').fill('same-name');
      return [dialog(page)];
    }),
    now: null,
  },
  {
    name: 'palette-everywhere',
    before: at(project('shop', '/flags'), async (page) => await paletteWith(page, 'card-auth')),
    now: at(project('shop', '/flags'), async (page) => {
      const shown = await paletteWith(page, 'card-auth');
      await dialog(page).getByText('card-authorisation').first().waitFor();
      return shown;
    }),
  },
  {
    name: 'palette-none',
    before: at(project('shop', '/flags'), async (page) => await paletteWith(page, 'nothing-is-called-so')),
    now: null,
  },
  {
    name: 'fifth-tab',
    before: at(project('shop', '/flags'), async (page, place) => {
      const tabs = await Promise.all(Array.from({ length: 4 }, () => page.context().newPage()));
      for (const tab of tabs) {
        await tab.goto(`${place.stage.origin}${project('shop', '/flags')(place)}`);
        await tab.getByRole('link', { name: 'checkout', exact: true }).waitFor();
      }
      const fifth = tabs.at(-1) ?? page;
      await fifth.bringToFront();
      await fifth.waitForTimeout(3_000);
      place.t.teardown(() => Promise.all(tabs.map((tab) => tab.close())));
      return [main(fifth)];
    }),
    now: null,
  },
  {
    name: 'phone-header',
    width: 390,
    before: at(flag('shop/beta-search'), async (page) => [
      page.getByRole('banner'),
      page.getByRole('heading', { level: 1 }),
    ]),
    now: null,
  },
  {
    name: 'breadcrumb',
    before: at(project('shop', '/flags?q=search'), async (page) => {
      await page.getByRole('link', { name: 'beta-search', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'beta-search' }).waitFor();
      await main(page).getByRole('link', { name: 'Flags', exact: true }).click();
      await page.getByRole('link', { name: 'beta-search', exact: true }).waitFor();
      return [main(page)];
    }),
    now: null,
  },
  {
    name: 'environment-filter',
    before: at(project('shop', '/flags'), async (page) => {
      await page.getByRole('link', { name: 'checkout', exact: true }).waitFor();
      return [main(page).getByRole('search')];
    }),
    now: null,
  },
  {
    name: 'code',
    before: at(flag('shop/beta-search', '?tab=code'), async (page) => {
      await page.getByText('beta-search').first().waitFor();
      return [main(page)];
    }),
    now: null,
  },
  {
    name: 'forty-environments',
    before: at(flag('kubernetes-cluster-addons/feature-001'), async (page) => [main(page)]),
    now: null,
  },
];

interface Counts {
  readonly series: readonly { readonly on: readonly number[] }[];
}

/** Asks for a flag as applications do, and waits until the answers are counted. */
async function evaluate(page: Page, { t, stage, ids }: WalkPlace, times: number): Promise<void> {
  const http = createHttpClient(t, { port: stage.server.port });
  for (let key = 0; key < times; key += 1) {
    const path = `/v1/flags/${ids['shop/evaluated']}?env=production&targetingKey=user-${key}`;
    await http.send({ path });
  }
  const path = `/projects/${ids['shop']}/flags/${ids['shop/evaluated']}/evaluations`;
  for (let look = 0; look < 90; look += 1) {
    const { series } = await consoleCaller(page)<Counts>('GET', path);
    if (series.some(({ on }) => on.some((count) => count > 0))) return;
    await page.waitForTimeout(1_000);
  }
}

/** Makes a token that is refused once. @returns its name */
async function deniedToken(page: Page, { t, stage, ids }: WalkPlace): Promise<string> {
  const call = consoleCaller(page);
  const { secret } = await call<{ readonly secret: string }>('POST', `/projects/${ids['shop']}/tokens`, {
    ...{ name: 'pipeline', permission: 'write', environments: ['staging'], expiryDays: 90 },
  });
  const http = createHttpClient(t, { port: stage.server.port });
  const headers = { authorization: `Bearer ${secret}` };
  const body = JSON.stringify({ enabled: false });
  const path = `/api/v1/flags/${ids['shop/evaluated']}?env=production`;
  await http.send({ method: 'PATCH', path, headers, body });
  return 'pipeline';
}

const administration: readonly WalkScene[] = [
  {
    name: 'live-tokens',
    before: at(project('payments', '/tokens'), async (page, { ids }) => {
      const [call, path] = [consoleCaller(page), `/projects/${ids['payments']}/tokens`];
      const wish = { permission: 'write', environments: ['staging'], expiryDays: 90 };
      const { token } = await call<{ readonly token: { readonly id: string } }>('POST', path, {
        ...{ name: 'nightly-import', ...wish },
      });
      await page.reload();
      await page.getByRole('link', { name: 'nightly-import' }).first().waitFor();
      await call('POST', `${path}/${token.id}/revoke`);
      await call('POST', path, { name: 'new-import', ...wish });
      await page.waitForTimeout(4_000);
      return [main(page)];
    }),
    now: null,
  },
  {
    name: 'denied-token',
    before: at(project('shop', '/tokens'), async (page, place) => {
      await deniedToken(page, place);
      await page.reload();
      await page.getByRole('link', { name: 'pipeline' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'pipeline' }).waitFor();
      return [main(page)];
    }),
    now: null,
  },
  {
    name: 'revoke',
    before: at(project('shop', '/tokens'), opensDialog(/^Revoke pipeline/)),
    now: at(project('shop', '/tokens'), async (page) => {
      await page.getByRole('button', { name: 'More actions for pipeline' }).first().click();
      await page.getByRole('menuitem', { name: /^Revoke/ }).click();
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
  },
  {
    name: 'used-link',
    before: async (page, { stage }) => {
      const call = consoleCaller(page);
      const { url } = await call<{ readonly url: string }>('POST', '/invitations', {
        ...{ email: 'ines@example.test', role: 'editor' },
      });
      const { pathname, hash } = new URL(url);
      const guest = await stage.window();
      await guest.open(`${pathname}${hash}`);
      await guest.page.getByLabel('Your name').fill('Ines');
      await guest.page.getByLabel('New password').fill('a password of a guest');
      await guest.page.getByRole('button', { name: 'Join', exact: true }).click();
      await guest.page.getByRole('heading', { level: 1 }).first().waitFor();
      const late = await stage.window();
      late.watch.expectStatus(404, 410, 403, 400);
      await late.open(`${pathname}${hash}`);
      await late.page
        .getByRole('alert')
        .or(late.page.getByRole('heading', { level: 1 }))
        .first()
        .waitFor();
      return [main(late.page)];
    },
    now: null,
  },
  {
    name: 'log-filter',
    before: async (page, { stage }) => {
      await page.goto(`${stage.origin}/console/audit`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return [main(page).getByRole('search')];
    },
    now: null,
  },
  {
    name: 'exact-time',
    before: at(project('shop', '/audit'), async (page) => {
      await main(page).getByRole('listitem').first().waitFor();
      return [main(page).getByRole('listitem').first()];
    }),
    now: null,
  },
  {
    name: 'log-colours',
    before: at(project('shop', '/audit?action=flag.edit'), async (page) => {
      await main(page).getByRole('listitem').first().waitFor();
      return [main(page).getByRole('listitem').first()];
    }),
    now: null,
  },
  {
    name: 'delete-flag',
    before: at(flag('shop/evaluated'), async (page, place) => {
      await evaluate(page, place, 110);
      await page.reload();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete flag' }).click();
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
    now: null,
  },
  {
    name: 'unprotect',
    before: at(project('shop', '/environments'), async (page) => [main(page)]),
    now: at(project('shop', '/environments'), async (page) => {
      await page.getByRole('switch', { name: /production/ }).press('Space');
      await dialog(page).waitFor();
      return [dialog(page)];
    }),
  },
  {
    name: 'reversed-name',
    before: at(project('shop', '/flags'), async (page) => {
      await page.getByRole('button', { name: 'Create flag' }).click();
      await dialog(page).getByLabel('Name').fill('pay-\u202eevil');
      return [dialog(page)];
    }),
    now: null,
  },
  {
    name: 'validation',
    before: at(project('shop', '/flags'), async (page) => {
      await page.getByRole('button', { name: 'Create flag' }).click();
      await dialog(page).getByLabel('Name').fill('a name that is far too long '.repeat(12).trim());
      await dialog(page).getByRole('button', { name: 'Create flag' }).click();
      await dialog(page)
        .getByText(/at most|too long|characters/i)
        .first()
        .waitFor();
      return [dialog(page)];
    }),
    now: null,
  },
];
/** Begins a draft, and saves another value of the same field in another window. */
async function overtaken(page: Page, { ids }: WalkPlace): Promise<void> {
  await rollout(page, 'staging', '50%');
  const call = consoleCaller(page);
  const path = `/projects/${ids['shop']}/flags/${ids['shop/beta-search']}`;
  interface Stored {
    readonly revision: number;
    readonly states: Readonly<Record<string, { readonly trafficPercentage: number }>>;
  }
  const { revision, states } = await call<Stored>('GET', path);
  const second = Object.keys(states)[1] ?? '';
  await call('PATCH', path, { revision, states: { [second]: { trafficPercentage: 25 } } });
  await page
    .getByText(/changed/i)
    .first()
    .waitFor();
  await page.waitForTimeout(1_500);
}

const drafts: readonly WalkScene[] = [
  {
    name: 'conflict',
    before: at(flag('shop/beta-search'), async (page, place) => {
      await overtaken(page, place);
      return [dialog(page)];
    }),
    now: at(flag('shop/beta-search'), async (page, place) => {
      await overtaken(page, place);
      return [page.getByRole('region', { name: 'Unsaved changes' })];
    }),
  },
  {
    name: 'draft-card',
    before: at(flag('shop/gift-cards'), async (page) => {
      await rollout(page, 'production', '25%');
      return [card(page, 'production')];
    }),
    now: null,
  },
  {
    name: 'discard',
    before: at(flag('shop/gift-cards'), async (page) => {
      await rollout(page, 'production', '25%');
      await page.getByRole('button', { name: 'Discard' }).click();
      return [card(page, 'production'), notices(page)];
    }),
    now: null,
  },
];

const toTheEye: readonly WalkScene[] = [
  {
    name: 'project-name',
    before: at(project('kubernetes-cluster-addons', '/flags'), async (page) => {
      await page.getByRole('button', { name: /^Project: / }).click();
      await page.getByRole('menuitem').first().waitFor();
      return [page.getByRole('button', { name: /^Project: / }), page.getByRole('menu')];
    }),
    now: null,
  },
  {
    name: 'navigation',
    before: at(project('shop', '/flags'), async (page) => [page.getByRole('navigation').first()]),
    now: null,
  },
  {
    name: 'viewer',
    by: 'viewer',
    before: at(flag('shop/beta-search'), async (page) => [card(page, 'production'), card(page, 'staging')]),
    now: null,
  },
  {
    name: 'actions',
    before: at(project('shop', '/environments'), async (page) => [
      page.getByRole('row').nth(1),
      page.getByRole('row').nth(3),
    ]),
    now: null,
  },
  {
    name: 'two-flags',
    before: at(project('tagged', '/flags'), async (page) => {
      await page.getByRole('link', { name: 'one', exact: true }).waitFor();
      return [main(page)];
    }),
    now: null,
  },
  {
    name: 'long-tag',
    before: at(project('tagged', `/flags?tag=${longTag}`), async (page) => {
      await page.getByRole('link', { name: 'one', exact: true }).waitFor();
      return [main(page).getByRole('search')];
    }),
    now: null,
  },
  {
    name: 'first-panel',
    before: at(flag('shop/checkout'), async (page) => [main(page)]),
    now: null,
  },
];

/** Everything that the walk found and that can be seen, in the order of the page about it. */
export const walkScenes: readonly WalkScene[] = [
  ...switches,
  ...found,
  ...administration,
  ...drafts,
  ...toTheEye,
];
