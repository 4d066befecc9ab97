import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';

/** What must not happen in a page, line by line: scripts that fail, policies that are broken, foreign requests. */
export interface PageWatch {
  readonly troubles: readonly string[];
  /** Answers of these statuses are what the test is about. */
  expectStatus(...statuses: readonly number[]): void;
  /** The page goes to other places on the way. */
  expectOrigin(...origins: readonly string[]): void;
  /** Lines that match are what the test is about. */
  expectMessage(pattern: RegExp): void;
}

/** Chromium's own line about an answer, whose status is looked at by itself. */
const answerLine = /^Failed to load resource: the server responded with a status of/;

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** Watches from the first request on: call it before the page is opened. */
export function watchPage(page: Page, origin: string): PageWatch {
  const troubles: string[] = [];
  const expected = new Set<number>();
  const origins = new Set([origin]);
  const expectedMessages: RegExp[] = [answerLine];
  const onMessage = (message: ConsoleMessage): void => {
    if (
      !['error', 'warning'].includes(message.type()) ||
      expectedMessages.some((line) => line.test(message.text()))
    )
      return;
    troubles.push(`console ${message.type()}: ${message.text()}`);
  };
  const onRequest = (request: Request): void => {
    if (!origins.has(new URL(request.url()).origin)) troubles.push(`foreign request: ${request.url()}`);
  };
  const onResponse = (response: Response): void => {
    if (response.status() < 400 || expected.has(response.status())) return;
    troubles.push(`${response.status()} ${response.request().method()} ${pathOf(response.url())}`);
  };
  const onFailure = (request: Request): void => {
    const reason = request.failure()?.errorText ?? '';
    // A page that is left, or a query nobody waits for any more.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`${reason}: ${request.method()} ${request.url()}`);
  };
  page.on('console', onMessage);
  page.on('pageerror', (error) => troubles.push(`page error: ${error.stack ?? error.message}`));
  page.on('request', onRequest);
  page.on('response', onResponse);
  page.on('requestfailed', onFailure);
  return {
    troubles,
    expectStatus: (...statuses) => {
      for (const status of statuses) expected.add(status);
    },
    expectOrigin: (...others) => {
      for (const other of others) origins.add(other);
    },
    expectMessage: (pattern) => void expectedMessages.push(pattern),
  };
}
