import type { BootedServer } from '../../support/booted-server.ts';
import type { ConsoleStage, ConsoleWindow } from './console-stage.ts';

/** The Owner of every stage. */
export const owner = {
  name: 'Olga Owner',
  email: 'olga@example.test',
  password: 'correct horse battery staple',
} as const;

/** The name that the Owner gives the organisation. */
export const ownOrganisation = 'Olga & Sons';

/** @returns the path and fragment of the one-time link that a server without members prints. */
export async function firstOwnerLink(server: BootedServer): Promise<string> {
  const pattern = /https?:\/\/[^\s"]+?(\/console\/link#[0-9A-Za-z]+)/;
  const line = await server.line((written) => pattern.test(written));
  return pattern.exec(line)?.[1] ?? '';
}

/** Becomes the Owner through the printed link, and is in the console then. */
export async function becomeOwner({ server }: ConsoleStage, { page, open }: ConsoleWindow): Promise<void> {
  await open(await firstOwnerLink(server));
  await page.getByLabel('Organisation').fill(ownOrganisation);
  await page.getByLabel('Your name').fill(owner.name);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('New password').fill(owner.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { level: 1, name: /^(Projects|Flags)$/ }).waitFor();
}

/** Signs in on the sign-in page. */
export async function signIn(
  { page, open }: ConsoleWindow,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await open('/console/');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
