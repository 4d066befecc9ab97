import type { Page } from 'playwright-core';
import { dialog } from './console-steps.ts';

/** A screen of the console: an address, and steps to do there first. */
export interface Screen {
  /** The name, also of its screenshots. */
  readonly name: string;
  readonly path: string;
  /** Whether it is shown without signing in. */
  readonly isPublic?: boolean;
  /** Statuses of refusals that the screen causes. */
  readonly refusals?: readonly number[];
  /** Does the steps, and ends when the screen is complete. */
  readonly show: Show;
}

export type Show = (page: Page) => Promise<unknown>;

export function heading(name: string | RegExp): Show {
  return (page) => page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Presses a button of the page and waits for the dialog that it opens. */
export function opened(before: Show, button: string | RegExp): Show {
  return async (page) => {
    await before(page);
    await page.getByRole('button', { name: button }).first().click();
    await dialog(page).waitFor();
  };
}

/** Waits for an element with exactly this text. */
export function text(words: string): Show {
  return (page) => page.getByText(words, { exact: true }).first().waitFor();
}
