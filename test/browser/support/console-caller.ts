import type { Page } from 'playwright-core';

/** Asks the console's API as the window's member does: with its cookie, past its page. @throws unless it is answered 2xx */
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
