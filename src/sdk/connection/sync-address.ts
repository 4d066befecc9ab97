import { messageOf } from '../../support/message-of.ts';
import type { TokenSource } from '../client-options.ts';
import { ConnectionEnded } from './connection-end.ts';

/** Where a project's configuration is, and with what it is asked for. */
export class SyncAddress {
  readonly configuration: URL;
  readonly usage: URL;
  /** For messages: without the token. */
  readonly shown: string;
  readonly #token: TokenSource;
  #sent: string | null = null;

  constructor(url: URL, project: string, environment: string | null, token: TokenSource) {
    const base = url.href.replace(/\/+$/, '');
    const place = [project, ...(environment === null ? [] : [environment])].map(encodeURIComponent).join('/');
    this.configuration = new URL(`${base}/sync/v1/${place}`);
    this.usage = new URL(`${base}/sync/v1/usage/${place}`);
    this.shown = url.href;
    this.#token = token;
  }

  /** @throws ConnectionEnded when there is no token */
  headers(): Readonly<Record<string, string>> {
    try {
      this.#sent = this.#token();
    } catch (fault) {
      throw new ConnectionEnded({ kind: 'refused', why: `There is no token: ${messageOf(fault)}` });
    }
    return { authorization: `Bearer ${this.#sent}`, 'user-agent': 'burgee-client' };
  }

  /** Whether the next request would have another token than the last one. */
  hasNewToken(): boolean {
    try {
      return this.#token() !== this.#sent;
    } catch {
      return false;
    }
  }
}
