import type { Locator, Page } from 'playwright-core';

/** Actions of users in the console. Each ends when the page shows that it is done. */

export function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** Presses a button of the open dialog, and waits until the dialog is gone. */
export async function finishDialog(page: Page, button: string): Promise<void> {
  await dialog(page).getByRole('button', { name: button, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** Follows a link of the navigation, and waits for the page's heading. */
export async function goTo(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** Production is not protected. @param environments in addition to production and staging, which the form suggests */
export async function createProject(
  page: Page,
  name: string,
  environments: readonly string[],
): Promise<void> {
  await goTo(page, 'Projects');
  await page.getByRole('button', { name: 'Create project' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  const names = dialog(page).getByLabel('Environment names');
  for (const environment of environments) {
    await names.fill(environment);
    await names.press('Enter');
  }
  await dialog(page).getByRole('checkbox', { name: 'Protect production' }).uncheck();
  await finishDialog(page, 'Create project');
  await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
}

/** Creates a flag, and is on its page then. @returns its id */
export async function createFlag(page: Page, name: string): Promise<string> {
  await goTo(page, 'Flags');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await finishDialog(page, 'Create flag');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

export interface AudienceRule {
  readonly attribute: string;
  readonly values: readonly string[];
}

export async function createAudience(
  page: Page,
  name: string,
  { attribute, values }: AudienceRule,
): Promise<void> {
  await goTo(page, 'Audiences');
  await page.getByRole('button', { name: 'Create audience' }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('Attribute').fill(attribute);
  const list = dialog(page).getByLabel('is one of');
  for (const value of values) {
    await list.fill(value);
    await list.press('Enter');
  }
  await finishDialog(page, 'Create audience');
  await page.getByRole('link', { name, exact: true }).waitFor();
}

export interface TokenWish {
  readonly name: string;
  readonly permission: 'Read' | 'Read and write';
  /** Null for all environments. */
  readonly environments: readonly string[] | null;
}

/** @returns the secret, which the console shows once */
export async function createToken(page: Page, wish: TokenWish): Promise<string> {
  await goTo(page, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill(wish.name);
  await dialog(page).getByRole('radio', { name: wish.permission, exact: true }).check();
  if (wish.environments !== null) {
    await dialog(page).getByRole('radio', { name: 'Only these' }).check();
    for (const name of wish.environments) await dialog(page).getByRole('checkbox', { name }).check();
  }
  await dialog(page).getByRole('button', { name: 'Create token' }).click();
  return takeSecret(page, wish.name);
}

/** Reads the secret that a dialog shows, and closes it. */
export async function takeSecret(page: Page, tokenName: string): Promise<string> {
  const shown = page.getByRole('dialog', { name: `Token ${tokenName}` });
  const secret = await shown.getByRole('code').textContent();
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await shown.waitFor({ state: 'detached' });
  return secret ?? '';
}

/** The part of a flag's page about one environment. */
export function card(page: Page, environment: string): Locator {
  return page.getByRole('region', { name: environment, exact: true });
}

/** Opens the review of the draft and saves it. */
export async function saveDraft(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Review / }).click();
  await dialog(page)
    .getByRole('button', { name: /^Save / })
    .click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** The text of the newest notification. */
export function notice(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Notifications' }).getByText(text);
}
