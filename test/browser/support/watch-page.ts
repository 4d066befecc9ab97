import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';

/** Problems in a page, one line each: script errors, policy violations, requests to other origins, failed requests. */
export interface PageWatch {
  readonly troubles: readonly string[];
  /** The test expects answers with this status. */
  expectStatus(...statuses: readonly number[]): void;
  /** The page visits other origins on the way. */
  expectOrigin(...origins: readonly string[]): void;
  /** The test expects lines of the page's log, or failed requests, that match. */
  expectMessage(pattern: RegExp): void;
}

/** Chromium's own line about a failed answer. The status is checked separately. */
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
    // The page was left, or no longer needs the answer.
    const line = `${reason}: ${request.method()} ${request.url()}`;
    if (reason === 'net::ERR_ABORTED' || expectedMessages.some((expected) => expected.test(line))) return;
    troubles.push(line);
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
