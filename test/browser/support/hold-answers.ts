import type { Page } from 'playwright-core';

/** Keeps what the page asks for at the addresses from being answered. @returns what lets the answers come */
export async function holdAnswers(page: Page, addresses: string): Promise<() => void> {
  let letCome = (): void => undefined;
  const mayCome = new Promise<void>((resolve) => {
    letCome = resolve;
  });
  await page.route(addresses, async (route) => {
    await mayCome;
    await route.continue();
  });
  return letCome;
}
