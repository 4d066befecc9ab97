import { card, dialog } from './console-steps.ts';
import type { FurnishedDemo } from './furnished-demo.ts';
import { heading, opened, type Screen, type Show, text } from './screen.ts';

function listScreens(demo: FurnishedDemo): readonly Screen[] {
  const list = `/console/projects/${demo.projectId}/flags`;
  const shown: Show = (page) => page.getByRole('link', { name: 'apple-pay' }).waitFor();
  const loading: Show = async (page) => {
    await shown(page);
    // Never answered: the next page drops the request.
    await page.route(/\/console\/api\/projects\/\w+\/flags(\?|$)/, () => new Promise(() => undefined), {
      times: 1,
    });
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'Loading flags' }).waitFor();
  };
  return [
    { name: 'flags', path: list, show: shown },
    { name: 'flags-none-match', path: `${list}?q=nothing`, show: text('No flags match these filters') },
    {
      name: 'flags-empty',
      path: `/console/projects/${demo.emptyProjectId}/flags`,
      show: text('No flags yet'),
    },
    { name: 'flags-loading', path: list, show: loading },
    { name: 'create-flag', path: `${list}?create=yes`, show: (page) => dialog(page).waitFor() },
    { name: 'flag-gone', path: `${list}/00000000000000000000`, refusals: [404], show: heading('Not found') },
  ];
}

function stateScreens(path: string, header: Show): readonly Screen[] {
  const drafted: Show = async (page) => {
    await header(page);
    await card(page, 'production').getByRole('button', { name: '25%' }).click();
    await card(page, 'staging').getByRole('button', { name: '75%' }).click();
    await page.getByRole('button', { name: 'Review 2 changes' }).waitFor();
  };
  const left: Show = async (page) => {
    await drafted(page);
    await page.getByRole('main').getByRole('link', { name: 'Flags', exact: true }).click();
    await dialog(page).waitFor();
  };
  const copied: Show = async (page) => {
    await header(page);
    await card(page, 'staging').getByRole('button', { name: 'Copy to …' }).click();
    await dialog(page).getByRole('combobox', { name: 'To' }).click();
    await page.getByRole('option', { name: 'production' }).click();
    await dialog(page).getByRole('listitem').first().waitFor();
  };
  const switched: Show = async (page) => {
    await header(page);
    await card(page, 'production').getByRole('switch').press('Space');
    await dialog(page).waitFor();
  };
  /** In a narrow window the flag's actions are folded. */
  const unfolded: Show = async (page) => {
    await header(page);
    const details = page.getByRole('button', { name: 'Details' });
    if (await details.isVisible()) await details.click();
  };
  const deleted: Show = async (page) => {
    await unfolded(page);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete flag' }).click();
    await dialog(page).waitFor();
  };
  return [
    { name: 'flag', path, show: header },
    { name: 'flag-labels', path, show: opened(unfolded, /^Edit name/) },
    { name: 'flag-draft', path, show: drafted },
    { name: 'flag-review', path, show: opened(drafted, 'Review 2 changes') },
    { name: 'flag-leave', path, show: left },
    { name: 'flag-cohorts', path, show: opened(header, 'Edit cohorts') },
    { name: 'flag-copy-state', path, show: copied },
    { name: 'flag-switch-protected', path, show: switched },
    { name: 'flag-delete', path, show: deleted },
  ];
}

function tabScreens(path: string, header: Show): readonly Screen[] {
  const counted: Show = async (page) => {
    await header(page);
    await page.getByRole('region', { name: 'Evaluations per hour' }).getByText('As numbers').waitFor();
  };
  const tried: Show = async (page) => {
    await header(page);
    await page.getByLabel('Environment', { exact: true }).selectOption({ label: 'production' });
    await page.getByLabel('Targeting key').fill('user-7');
    await page.getByLabel('Cohort').fill('partners');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
  };
  return [
    {
      name: 'flag-history',
      path: `${path}?tab=history`,
      show: (page) => page.getByText('Demo Owner').nth(1).waitFor(),
    },
    { name: 'flag-evaluations', path: `${path}?tab=evaluations`, show: counted },
    { name: 'flag-try', path: `${path}?tab=try`, show: tried },
    { name: 'flag-code', path: `${path}?tab=code`, show: (page) => page.getByText('curl').first().waitFor() },
  ];
}

/** The list of flags and a flag's page, with their dialogs and menus. */
export function flagScreens(demo: FurnishedDemo): readonly Screen[] {
  const path = `/console/projects/${demo.projectId}/flags/${demo.flagId}`;
  const header = heading(demo.flagName);
  return [...listScreens(demo), ...stateScreens(path, header), ...tabScreens(path, header)];
}
