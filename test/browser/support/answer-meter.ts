import type { Page, Request } from 'playwright-core';

/** What a page asks the console's API from now on, and the bytes of the answers; the stream of events is left out. */
export class AnswerMeter {
  readonly #finished: Request[] = [];

  constructor(page: Page) {
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/console/api/') && !pathname.endsWith('/events')) this.#finished.push(request);
    });
  }

  /** The addresses that were asked. */
  get asked(): readonly URL[] {
    return this.#finished.map((request) => new URL(request.url()));
  }

  /** Bytes of the bodies as they were sent. */
  async bytes(): Promise<number> {
    const sizes = await Promise.all(this.#finished.map((request) => request.sizes()));
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  }
}
