import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
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
  const time = await entry(page, 'changed flag gift-cards').locator('time').textContent();
  t.match(time, /just now · \d+ \w+ \d{4}, \d\d:\d\d UTC$/, 'times are exact');
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
