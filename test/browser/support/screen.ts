import type { Page } from 'playwright-core';
import { dialog } from './console-steps.ts';

/** Something that people see: an address, and what is done there first. */
export interface Screen {
  /** Of its screenshots, too. */
  readonly name: string;
  readonly path: string;
  /** Seen before signing in. */
  readonly isPublic?: boolean;
  /** Refusals that belong to what is seen. */
  readonly refusals?: readonly number[];
  /** Ends when everything to look at is there. */
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

/** Waits for a text that stands by itself. */
export function text(words: string): Show {
  return (page) => page.getByText(words, { exact: true }).first().waitFor();
}
