import { messageOf } from '../../support/message-of.ts';
import type { TokenSource } from '../client-options.ts';
import { ConnectionEnded } from './connection-end.ts';

/** The addresses of a project's configuration and usage, and the token for them. */
export class SyncAddress {
  readonly configuration: URL;
  readonly usage: URL;
  /** For messages: without the token. */
  readonly shown: string;
  readonly #token: TokenSource;
  /** The token of the last request for the configuration. */
  #asked: string | null = null;

  constructor(url: URL, project: string, environment: string | null, token: TokenSource) {
    const base = url.href.replace(/\/+$/, '');
    const place = [project, ...(environment === null ? [] : [environment])].map(encodeURIComponent).join('/');
    this.configuration = new URL(`${base}/sync/v1/${place}`);
    this.usage = new URL(`${base}/sync/v1/usage/${place}`);
    this.shown = url.href;
    this.#token = token;
  }

  /** For a request of the configuration. @throws ConnectionEnded when there is no token */
  configurationHeaders(): Readonly<Record<string, string>> {
    this.#asked = this.#readToken();
    return headersWith(this.#asked);
  }

  /** For a report of usage. @throws ConnectionEnded when there is no token */
  usageHeaders(): Readonly<Record<string, string>> {
    return headersWith(this.#readToken());
  }

  #readToken(): string {
    try {
      return this.#token();
    } catch (fault) {
      throw new ConnectionEnded({ kind: 'refused', why: `There is no token: ${messageOf(fault)}` });
    }
  }

  /** Whether the next request for the configuration would have another token. */
  hasNewToken(): boolean {
    try {
      return this.#token() !== this.#asked;
    } catch {
      return false;
    }
  }
}

function headersWith(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'user-agent': 'burgee-client' };
}
