import type { Page } from 'playwright-core';

/** Holds back the answers to a page's requests to these addresses. @returns a function that releases them */
export async function holdAnswers(page: Page, addresses: string | RegExp): Promise<() => void> {
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
