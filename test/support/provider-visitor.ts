/** A simple browser for the provider's pages: it keeps cookies, and fills in forms. */
export class ProviderVisitor {
  readonly #cookies = new Map<string, string>();

  /** @returns the URL that the provider redirects to after signing in as this person */
  async signIn(url: string, login: string): Promise<string> {
    return this.#goOn(url, (prompt) => new URLSearchParams({ prompt, login, password: 'any' }));
  }

  /** @returns the URL that the provider redirects to after «Cancel» */
  async cancel(url: string): Promise<string> {
    return this.#goOn(url, () => null);
  }

  /** @param answerOf gives the form data for a page; null cancels */
  async #goOn(url: string, answerOf: (prompt: string) => URLSearchParams | null): Promise<string> {
    const { origin } = new URL(url);
    let address = url;
    for (let step = 0; step < 12; step += 1) {
      const response = await this.#send(address, null);
      const moved = response.headers.get('location') ?? (await this.#fillIn(address, response, answerOf));
      address = new URL(moved, origin).href;
      if (new URL(address).origin !== origin) return address;
    }
    throw new Error(`the provider goes in circles at ${address}`);
  }

  async #fillIn(
    address: string,
    response: Response,
    answerOf: (prompt: string) => URLSearchParams | null,
  ): Promise<string> {
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined)
      throw new Error(`no form at ${address}: ${response.status} ${page.slice(0, 2000)}`);
    const answer = answerOf(prompt);
    const sent = await this.#send(answer === null ? `${address}/abort` : address, answer);
    return sent.headers.get('location') ?? '';
  }

  async #send(url: string, body: URLSearchParams | null): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = body === null ? 'GET' : 'POST';
    const response = await fetch(url, { method, body, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}
