import { type ClientResponse, createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';

/** Acts as a browser towards the console's API: it keeps the session's cookie, and sends its origin. */
export class ConsoleClient {
  readonly port: number;
  readonly #http: HttpClient;
  /** Cookies by name. */
  readonly cookies = new Map<string, string>();

  constructor(t: Lifetime, options: { readonly port: number; readonly localAddress?: string }) {
    this.port = options.port;
    this.#http = createHttpClient(t, options);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param path below `/console/api` */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleResponse> {
    const own = method === 'GET' ? {} : { origin: this.origin, 'x-burgee-console': '1' };
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#http.send({
      method,
      path: `/console/api${path}`,
      headers: { ...own, ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    this.#keepCookies(response);
    return new ConsoleResponse(response);
  }

  /** No cookie has a comma here, so joined headers can be split. */
  #keepCookies(response: ClientResponse): void {
    for (const line of (response.headers.get('set-cookie') ?? '').split(', ')) {
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      if (at < 1) continue;
      if (attributes.includes('Max-Age=0')) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

export class ConsoleResponse {
  readonly #response: ClientResponse;

  constructor(response: ClientResponse) {
    this.#response = response;
  }

  get status(): number {
    return this.#response.status;
  }

  get text(): string {
    return this.#response.text;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name);
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#response.headers;
  }

  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
  get json(): any {
    return JSON.parse(this.#response.text);
  }
}
