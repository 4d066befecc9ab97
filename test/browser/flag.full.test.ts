import t from 'tap';
import { consoleCaller } from './support/console-caller.ts';
import { consoleTest } from './support/console-stage.ts';
import { card, dialog, finishDialog, notice, saveDraft } from './support/console-steps.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
  flags: [
    {
      name: 'gift-cards',
      description: 'PAY-12\n\nSee https://example.test/pay.\nThird\nFourth\nFifth',
      cohorts: ['beta', 'staff'],
      environments: { staging: { enabled: true, trafficPercentage: 100, audience: 'Pro' } },
    },
  ],
};

await consoleTest(t, 'a flag is edited and tried', { prepare: provision(project) }, async (t, stage) => {
  // The browser asks for the permission where a person's own grants it to a click.
  const window = await stage.window({ permissions: ['clipboard-write'] });
  const { page } = window;
  await signIn(window, owner);
  await page.getByRole('link', { name: 'gift-cards' }).click();
  const staging = card(page, 'staging');
  const production = card(page, 'production');

  await production.waitFor();
  t.equal(await page.title(), 'gift-cards · shop · Burgee');
  // A description keeps its lines and links; a long one is folded.
  t.equal(
    await page.locator('p', { hasText: 'Fifth' }).textContent(),
    'PAY-12\n\nSee https://example.test/pay.\nThird\nFourth\nFifth',
  );
  await page.getByRole('link', { name: 'https://example.test/pay', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show more', expanded: false }).click();
  await page.getByRole('button', { name: 'Show less' }).waitFor();

  // Cohorts: inherited, many pasted into an own list, and inherited again.
  await staging.getByText('inherited (2)').waitFor();
  await staging.getByRole('button', { name: 'Override' }).click();
  // Many go into the list at once, however they come into the field.
  const many = Array.from({ length: 5000 }, (_, index) => `c-${index}`).join('\n');
  await dialog(page).getByLabel('Add').fill(many);
  await dialog(page).getByText('5,002 cohorts in all.').waitFor();
  t.equal(await dialog(page).getByLabel('Add').inputValue(), '');
  await dialog(page).getByRole('button', { name: 'Remove all' }).click();
  await dialog(page).getByLabel('Add').fill('staff\nqa\nnightly, beta\n\ncanary');
  await dialog(page).getByText('5 cohorts in all.').waitFor();
  await dialog(page).getByRole('button', { name: 'Add to draft' }).click();
  await staging.getByText('own list of 5').waitFor();
  await saveDraft(page);
  await staging.getByRole('button', { name: 'Inherit' }).click();
  await staging.getByText('inherited (2)').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await staging.getByText('own list of 5').waitFor();

  // The rollout is set in three ways; the last one counts.
  const percentage = production.getByRole('textbox', { name: 'Rollout in percent' });
  await production.getByRole('button', { name: '75%' }).click();
  await production.getByRole('slider', { name: 'Rollout in percent' }).press('ArrowLeft');
  t.equal(await percentage.inputValue(), '74%');
  await percentage.fill('33');
  t.equal(await production.getByRole('slider').getAttribute('aria-valuenow'), '33');
  await percentage.fill('');
  await percentage.press('Tab');
  t.equal(await percentage.inputValue(), '33%', 'an empty field is no number');
  // What is no whole number stays as it was typed, and cannot be saved or switched on.
  for (const typed of ['0.5', '2,5', '-5', '150', '99.999']) {
    await percentage.fill(typed);
    await percentage.press('Tab');
    t.equal(await percentage.inputValue(), typed);
    await production.getByText('Enter a whole number from 0 to 100.').waitFor();
    t.ok(await page.getByRole('button', { name: /^Review/ }).isDisabled());
  }
  await production.getByRole('switch').press('Space');
  await percentage.and(page.locator(':focus')).waitFor();
  t.notOk(await production.getByRole('switch').isChecked());
  await percentage.fill(' 33 %');
  await saveDraft(page);

  // A protected environment asks first. The question names flag, environment and effect.
  const call = consoleCaller(page);
  const projectId = /projects\/(\w+)/.exec(page.url())?.[1] ?? '';
  const { projects } = await call<{ projects: { environmentsRevision: number }[] }>('GET', '/projects');
  const revision = projects[0]?.environmentsRevision;
  await call('PATCH', `/projects/${projectId}/environments/1`, { revision, isProtected: true });
  await production.getByText('protected').waitFor();
  await production.getByRole('switch').press('Space');
  t.match(await dialog(page).textContent(), /production is protected.*gift-cards on there.*33%/);
  await dialog(page).getByRole('button', { name: 'Switch on' }).click();
  await notice(page, 'gift-cards is on in production.').waitFor();
  await production.getByRole('button', { name: '10%' }).click();
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  t.match(
    await dialog(page).textContent(),
    /production is protected\. Saving changes the answers of gift-cards/,
  );
  await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();

  // The history shows each change as a diff.
  await page.getByRole('tab', { name: 'History' }).click();
  const history = page.getByRole('tabpanel', { name: 'History' });
  await history.getByText('Switch in production').waitFor();
  t.match(await history.getByRole('listitem').allTextContents(), [/Switch in production/]);
  await history.getByText('own list of 5').waitFor();

  // An earlier state of the flag becomes a draft, and so does what was stored before a save.
  t.equal(await history.getByRole('button', { name: 'Back to this' }).count(), 3, 'the newest is present');
  await history.getByRole('button', { name: 'Back to this' }).last().click();
  await production.getByRole('button', { name: '0%', exact: true, pressed: true }).waitFor();
  await staging.getByText('inherited (2)').waitFor();
  await saveDraft(page);
  await page.getByRole('button', { name: /^Review / }).waitFor({ state: 'detached' });
  await page
    .getByRole('region', { name: 'Notifications' })
    .getByRole('button', { name: 'Undo' })
    .last()
    .click();
  await production.getByText('33% of callers').waitFor();
  await staging.getByText('own list of 5').waitFor();
  await saveDraft(page);

  // Each rule shows its part in the answer.
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByLabel('Environment', { exact: true }).selectOption('staging');
  await page.getByRole('button', { name: 'Add “plan”' }).click();
  t.equal(await page.getByLabel('Attribute 1', { exact: true }).inputValue(), 'plan');
  await page.getByRole('button', { name: 'Remove attribute 1' }).click();
  await page.getByLabel('Targeting key').fill('user-42');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('not reached', { exact: true }).waitFor();
  const steps = (): Promise<string[]> => answer.getByRole('listitem').allTextContents();
  t.match(await steps(), [
    /Switch.*no effect/,
    /Cohorts.*no effect/,
    /Audience.*decided the answer/,
    /Rollout.*not reached/,
  ]);
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByLabel('Attribute 1', { exact: true }).fill('plan');
  await page.getByLabel('Value of attribute 1').fill('pro');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await answer.getByText('every request that comes to this rule').waitFor();
  t.match(await steps(), [/Switch/, /Cohorts/, /Audience.*no effect/, /Rollout.*decided the answer/]);

  await page.getByRole('tab', { name: 'Code' }).click();
  const code = page.getByRole('region', { name: 'curl' });
  await page.getByLabel('Environment', { exact: true }).selectOption('staging');
  const address = /'(.*)'/.exec((await code.locator('pre').textContent()) ?? '')?.[1] ?? '';
  t.match(
    await (await fetch(address)).json(),
    { name: 'gift-cards', enabled: true },
    'the line asks for a caller for whom the flag is on',
  );
  await page.getByRole('tab', { name: 'Python' }).click();
  const python = page.getByRole('region', { name: 'Python' });
  await python.getByText(`/projects/${projectId}/staging`).waitFor();
  await python.getByText('"plan": "pro"').waitFor();
  await python.getByRole('button', { name: 'Copy Python' }).click();
  await python.getByRole('button', { name: 'Python copied' }).waitFor();
  // The question is still there after a look at another tab.
  await page.getByRole('tab', { name: 'Try it' }).click();
  t.equal(await page.getByLabel('Targeting key').inputValue(), 'user-42');
  t.equal(await page.getByLabel('Value of attribute 1').inputValue(), 'pro');
  // Deleting says what is in use, and what is protected. Counts are stored a moment after the evaluation.
  const flagId = /flags\/(\w+)/.exec(page.url())?.[1] ?? '';
  let counts: { series: { on: number[]; off: number[] }[] } = { series: [] };
  while (counts.series.every(({ on, off }) => [...on, ...off].every((count) => count === 0)))
    counts = await call('GET', `/projects/${projectId}/flags/${flagId}/evaluations`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete flag' }).click();
  await dialog(page).getByText('1 evaluation in the last 24 hours.').waitFor();
  t.match(await dialog(page).textContent(), /On in production \(protected\), staging\./);
  t.match(await dialog(page).textContent(), /in every environment, including production \(protected\)\./);
  await finishDialog(page, 'Cancel');
  t.equal(
    await page.locator(':focus').getAttribute('aria-label'),
    'More actions',
    'the menu has the focus again',
  );
});

const regions = Array.from({ length: 38 }, (_, index) => `region-${index}`);
const wide = {
  name: 'wide',
  environments: [...regions, 'production', 'prod-eu'],
  flags: [
    { name: 'everywhere', environments: { production: { enabled: true, trafficPercentage: 50 } } },
    { name: 'elsewhere' },
  ],
};

await consoleTest(
  t,
  'of forty environments each is one step away',
  { prepare: provision(wide) },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('searchbox', { name: 'Search flags' }).fill('every');
    await page.waitForURL(/q=every/);
    await page.getByRole('link', { name: 'everywhere' }).click();
    const index = page.getByRole('toolbar', { name: 'Environments' });
    await index.waitFor();

    // Production comes first and is open; the index is one stop of Tab, and the arrows move within it.
    t.match(await index.getByRole('button').first().textContent(), /productionOn 50%/);
    t.equal(await page.getByRole('switch').count(), 2);
    await page.getByRole('searchbox', { name: 'Find an environment' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('input[role=switch]:focus').waitFor();
    t.equal(await page.locator(':focus').getAttribute('aria-label'), 'everywhere in region-0');
    await page.getByRole('searchbox', { name: 'Find an environment' }).fill('region-31');
    await page.keyboard.press('Enter');
    // The card opens first, and then its switch gets the focus.
    await page.locator('[role=switch][aria-label="everywhere in region-31"]:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    t.equal(await page.locator(':focus').textContent(), '0%', 'the usual percentages are one stop, too');

    // With forced colours, backgrounds are dropped: what is on, chosen or current differs all the same.
    await page.emulateMedia({ forcedColors: 'active' });
    const background = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    for (const [chosen, other] of [
      ['.mantine-Switch-input:checked + *', '.mantine-Switch-input:not(:checked) + *'],
      ['.mantine-Switch-input:not(:checked) + * > *', '.mantine-Switch-input:not(:checked) + *'],
      ['.mantine-Slider-thumb', '.mantine-Slider-track'],
      ['[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]'],
      ['[role=toolbar] [aria-pressed=true]', '[role=toolbar] [aria-pressed=false]'],
      ['nav a[aria-current=page]', 'nav a:not([aria-current])'],
    ] as const) {
      t.not(await background(chosen), await background(other), `${chosen} differs from ${other}`);
    }
    await page.emulateMedia({ forcedColors: 'none' });

    // A draft moves nothing; the way back keeps the filters of the list.
    const region = card(page, 'region-31');
    const before = await region.boundingBox();
    await region.getByRole('button', { name: '25%', exact: true }).click();
    await region.getByText('not saved').waitFor();
    t.same(await region.boundingBox(), before);
    await page.getByRole('button', { name: 'Discard' }).click();
    await region.getByRole('button', { name: 'Close region-31' }).click();
    await region.waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('link', { name: 'Flags', exact: true }).click();
    await page.waitForURL(/q=every/);
    await page.getByRole('link', { name: 'everywhere' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'elsewhere' }).count(), 0);
  },
);
