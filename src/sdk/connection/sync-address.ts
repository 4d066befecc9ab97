/** Where a project's configuration is, and with what it is asked for. */
export class SyncAddress {
  readonly configuration: URL;
  readonly usage: URL;
  /** For messages: without the token. */
  readonly shown: string;
  readonly #token: string;

  constructor(url: URL, project: string, environment: string | null, token: string) {
    const base = url.href.replace(/\/+$/, '');
    const place = [project, ...(environment === null ? [] : [environment])].map(encodeURIComponent).join('/');
    this.configuration = new URL(`${base}/sync/v1/${place}`);
    this.usage = new URL(`${base}/sync/v1/usage/${place}`);
    this.shown = url.href;
    this.#token = token;
  }

  get headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.#token}`, 'user-agent': 'burgee-client' };
  }
}
