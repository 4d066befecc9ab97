import type { Tenant } from '../../support/fair-share.ts';
import { addressClient, credentialClient, type Pool, type Quota } from './quota.ts';

/** Why a stream got no place: those of programs are taken, or those of browsers. */
export const refusedStreams = ['all', 'browsers'] as const;
export type RefusedStream = (typeof refusedStreams)[number];

/** Who asks for a stream: a program with a token, or a browser without one. */
export type StreamHolder = Tenant & ({ readonly token: string } | { readonly browser: string });

/** The places for event streams of programs and browsers. */
export class StreamRoom {
  readonly #streams: Pool;
  readonly #quotas = new Map<StreamHolder, Quota>();

  constructor(streams: Pool) {
    this.#streams = streams;
  }

  /** @returns null: there is room, and `give` must follow with the same holder; otherwise what was used up */
  take(holder: StreamHolder): RefusedStream | null {
    const isBrowser = 'browser' in holder;
    const client = isBrowser ? addressClient(holder.browser) : credentialClient(holder.token);
    const quota = this.#streams.quotaOf(client);
    if (!quota.take(1)) return isBrowser ? 'browsers' : 'all';
    this.#quotas.set(holder, quota);
    return null;
  }

  give(holder: StreamHolder): void {
    this.#quotas.get(holder)?.end();
    this.#quotas.delete(holder);
  }
}
