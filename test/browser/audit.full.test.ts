import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { applied, provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  flags: [{ name: 'gift-cards' }, { name: 'old-checkout' }],
  tokens: [{ name: 'ci', permission: 'read' }],
};

interface Flag {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
}

/** Chooses an option in a filter that searches while one types. */
async function choose(page: Page, filter: string, label: string): Promise<void> {
  const field = page.getByRole('combobox', { name: filter, exact: true });
  await field.click();
  await page.getByRole('listbox', { name: filter }).getByRole('option', { name: label, exact: true }).click();
}

function entry(page: Page, text: string | RegExp) {
  return page.locator('ol > li').filter({ hasText: text });
}

await consoleTest(t, 'the audit log is filtered', { prepare: provision(project) }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await signIn(window, owner);
  await page.getByText('2 flags').waitFor();
  const projectId = /projects\/(\w+)/.exec(page.url())?.[1] ?? '';
  const call = consoleCaller(page);
  const { flags } = await call<{ flags: readonly Flag[] }>('GET', `/projects/${projectId}/flags`);
  const [kept, deleted] = ['gift-cards', 'old-checkout'].map((name) =>
    flags.find((flag) => flag.name === name),
  );
  const states = { 1: { trafficPercentage: 5 }, 2: { trafficPercentage: 6 } };
  const path = (flag: Flag | undefined): string => `/projects/${projectId}/flags/${flag?.id}`;
  await call('PATCH', path(kept), { revision: kept?.revision, states });
  await call('DELETE', path(deleted), { revision: deleted?.revision, name: deleted?.name });

  // Filters by actor: a member, and the operator, who is no member.
  await goTo(page, 'Audit log');
  await choose(page, 'By', owner.name);
  await entry(page, 'created flag').first().waitFor({ state: 'detached' });
  await entry(page, `${owner.name} changed flag gift-cards`).waitFor();
  t.match(page.url(), /actor=member%3A\w{20}/);
  await page.reload();
  await entry(page, `${owner.name} changed flag gift-cards`).waitFor();
  t.equal(await page.getByRole('combobox', { name: 'By', exact: true }).inputValue(), owner.name);
  await choose(page, 'By', 'The operator');
  await entry(page, 'The operator created flag gift-cards').waitFor();
  t.equal(await entry(page, owner.name).count(), 0);

  t.match(await entry(page, 'created token ci').textContent(), /Environments.*all/);
  t.match(await entry(page, 'created flag gift-cards').textContent(), /Tags.*none/);

  // A deleted flag can still be chosen here.
  await choose(page, 'Flag', 'old-checkout (deleted)');
  await entry(page, 'gift-cards').waitFor({ state: 'detached' });
  await entry(page, 'The operator created flag old-checkout').waitFor();
  await page.reload();
  await entry(page, 'The operator created flag old-checkout').waitFor();
  // That it is deleted is known when the project's flags have arrived, which may be after the entries.
  await page.locator('input[value="old-checkout (deleted)"]').waitFor();

  // A draft for two environments is one change in each. The export has the same entries as the page.
  await page.goto(`${stage.origin}/console/projects/${projectId}/audit?environment=staging&action=flag.edit`);
  await entry(page, 'Rollout in staging').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export NDJSON' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  t.match(
    lines.map((line) => JSON.parse(line) as unknown),
    [{ action: 'flag.edit', targetName: 'gift-cards' }],
  );
});

const empty = {
  organisations: [{ name: 'Acme', plan: 'enterprise', members: [{ ...owner, role: 'owner' }] }],
};

await consoleTest(
  t,
  'an organisation without a project has an audit log',
  { prepare: applied(empty) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('heading', { name: 'No project yet' }).waitFor();
    await goTo(page, 'Organisation log');
    await entry(page, `The operator added member ${owner.name}`).waitFor();
    await choose(page, 'By', owner.name);
    await entry(page, 'The operator').first().waitFor({ state: 'detached' });
    await page.getByText('Nothing recorded here').waitFor();
    await choose(page, 'By', 'The operator');
    await entry(page, 'created organisation Acme').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    t.match(readFileSync(await download.path(), 'utf8'), /organisation\.create/);
  },
);

const environments = Array.from({ length: 40 }, (_, index) => `region-${String(index).padStart(2, '0')}`);
const wide = { name: 'wide', environments, flags: [{ name: 'in-wide' }] };
const narrow = {
  name: 'narrow',
  environments: ['production'],
  flags: [{ name: 'in-narrow', environments: { production: { enabled: true, trafficPercentage: 100 } } }],
  tokens: [{ name: 'deploy', permission: 'write' }],
};
const twoProjects = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ ...owner, role: 'owner' }],
      projects: [wide, narrow],
    },
  ],
};

await consoleTest(
  t,
  "the organisation's log is filtered by any environment, token and flag of its projects, and shows exact times",
  { prepare: applied(twoProjects) },
  async (t, stage) => {
    const window = await stage.window({ timezoneId: 'Europe/Berlin' });
    const { page } = window;
    const lists: string[] = [];
    page.on('request', (request) => {
      if (/projects\/\w+\/flags/.test(request.url())) lists.push(request.url());
    });
    await signIn(window, owner);
    await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
    lists.length = 0;
    await page.goto(`${stage.origin}/console/audit`);
    await entry(page, 'created flag in-wide').waitFor();

    // Times are exact, in the reader's zone.
    const time = entry(page, 'created flag in-wide').locator('time');
    t.match(await time.textContent(), /just now · \d+ \w+ \d{4}, \d\d:\d\d (CET|CEST|GMT\+[12])$/);

    const field = page.getByRole('combobox', { name: 'Environment', exact: true });
    await field.click();
    await field.fill('wide region-39');
    await page.getByRole('option', { name: 'region-39', exact: true }).click();
    await page.getByText('Nothing recorded here').or(entry(page, 'region-39')).first().waitFor();
    t.match(page.url(), /environment=region-39/);
    t.match(page.url(), /project=\w{20}/);
    t.equal(await page.getByRole('combobox', { name: 'Project', exact: true }).inputValue(), 'wide');

    await page.goto(`${stage.origin}/console/audit`);
    await entry(page, 'created flag in-wide').waitFor();
    await page.getByRole('combobox', { name: 'By', exact: true }).click();
    await page.getByRole('option', { name: /^deploy \(token\)/ }).click();
    await page.getByText('Nothing recorded here').waitFor();
    t.match(page.url(), /actor=token%3A\w{20}/, 'it has changed nothing');

    await page.goto(`${stage.origin}/console/audit`);
    const flags = page.getByRole('combobox', { name: 'Flag', exact: true });
    await flags.click();
    await flags.fill('in-nar');
    await page.getByRole('option', { name: /^in-narrow/ }).click();
    await entry(page, 'created flag in-wide').waitFor({ state: 'detached' });
    await entry(page, 'created flag in-narrow').waitFor();
    t.same(lists, [], 'no list of flags was read');
  },
);
