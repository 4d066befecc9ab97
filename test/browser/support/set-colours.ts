import type { Page } from 'playwright-core';

/** Two frames for what follows from the change, and then for what fades. */
const settled = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  .then(() => undefined)`;

/** Changes the system's colours under the open page, and waits until the page has followed. */
export async function setColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(settled);
}
