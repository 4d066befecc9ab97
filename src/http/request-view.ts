import type { HttpRequest } from './uws.ts';

/**
 * The request that is being handled: one object for all requests, valid until the handler returns. Copy as strings what
 * is needed later.
 */
export class RequestView {
  #request: HttpRequest | null = null;
  /**
   * Names and values in turns, read when a handler first asks for all values of a header: they cross from the addon one
   * by one.
   */
  #lines: string[] | null = null;

  show(request: HttpRequest | null): this {
    this.#request = request;
    this.#lines = null;
    return this;
  }

  get #current(): HttpRequest {
    if (this.#request === null) throw new Error('the request is gone: its handler has returned');
    return this.#request;
  }

  /** The method in lower case, if it was sent in upper case. Methods are case-sensitive: any other one is `other`. */
  method(): string {
    // `getMethod` would turn both `PATCH` and `patch` into `patch`, in the request itself.
    const sent = this.#current.getCaseSensitiveMethod();
    return /^[A-Z-]+$/.test(sent) ? sent.toLowerCase() : 'other';
  }

  /** As received, undecoded, without the query. */
  path(): string {
    return this.#current.getUrl();
  }

  /** As received, undecoded, without the question mark; empty when there is none. */
  query(): string {
    return this.#current.getQuery() ?? '';
  }

  /** A segment of the path that the route's pattern leaves open, undecoded. */
  parameter(index: number): string {
    return this.#current.getParameter(index) ?? '';
  }

  /** @param name in lower case. @returns the empty string when absent */
  header(name: string): string {
    if (this.#lines === null) return this.#current.getHeader(name);
    const [value = ''] = this.headerValues(name);
    return value;
  }

  /** Every value that was sent for a header, in order. */
  headerValues(name: string): readonly string[] {
    const lines = this.#allLines();
    const values: string[] = [];
    for (let index = 0; index < lines.length; index += 2) {
      if (lines[index] === name) values.push(lines[index + 1] as string);
    }
    return values;
  }

  #allLines(): readonly string[] {
    if (this.#lines !== null) return this.#lines;
    const lines: string[] = [];
    this.#current.forEach((name, value) => {
      lines.push(name, value);
    });
    this.#lines = lines;
    return lines;
  }

  /** @param note receives each line of the head: a name in lower case, and its value */
  eachLine(note: (name: string, value: string) => void): void {
    const lines = this.#allLines();
    for (let index = 0; index < lines.length; index += 2) {
      note(lines[index] as string, lines[index + 1] as string);
    }
  }

  /** @returns every value of a header, joined by comma and space as lists are; null when it was not sent */
  joinedHeader(name: string): string | null {
    const values = this.headerValues(name);
    return values.length === 0 ? null : values.join(', ');
  }
}
