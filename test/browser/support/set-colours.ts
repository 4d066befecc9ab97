import type { Page } from 'playwright-core';

/** Waits two frames for the change to take effect, and then for transitions. */
const settled = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  .then(() => undefined)`;

/** Changes the system's colour scheme while the page is open, and waits until the page shows it. */
export async function setColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(settled);
}
