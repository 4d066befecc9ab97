import type { Page } from 'playwright-core';

/** Calls the console's API with the cookie of a window's member. @throws unless the answer is 2xx */
export type ConsoleCaller = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/** @param origin of the service; by default that of the shown page */
export function consoleCaller(page: Page, origin?: string): ConsoleCaller {
  return async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const from = origin ?? new URL(page.url()).origin;
    const response = await page.request.fetch(`${from}/console/api${path}`, {
      method,
      headers: { origin: from, 'x-burgee-console': '1', connection: 'close' },
      ...(body === undefined ? {} : { data: body }),
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  };
}
