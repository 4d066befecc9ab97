import type { Page } from 'playwright-core';

/** Calls the console's API with the cookie of a window's member. @throws unless the answer is 2xx */
export type ConsoleCaller = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

export function consoleCaller(page: Page): ConsoleCaller {
  return async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const { origin } = new URL(page.url());
    const response = await page.request.fetch(`${origin}/console/api${path}`, {
      method,
      headers: { origin, 'x-burgee-console': '1' },
      ...(body === undefined ? {} : { data: body }),
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  };
}
