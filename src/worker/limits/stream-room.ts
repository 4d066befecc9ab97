import { accountNameOf, type Tenant } from '../../support/fair-share.ts';
import { type FairHold, FairRoom } from './fair-room.ts';
import { SharedBudget } from './shared-budget.ts';

/** Browsers, which need no token, get at most so much: programs find the rest. */
const browserShare = 0.5;

/** Why a stream got no place: all are taken, or those of browsers. */
export const refusedStreams = ['all', 'browsers'] as const;
export type RefusedStream = (typeof refusedStreams)[number];

/** Who asks for a stream. */
export interface StreamHolder extends Tenant {
  /** The `limitKey` of a browser's address; null: a program, which has a token. */
  readonly browser: string | null;
}

/** A worker that opens streams. */
interface StreamWorker {
  readonly limits: { readonly budgets: Readonly<Record<'streams' | 'browserStreams', SharedArrayBuffer>> };
  readonly place: number;
  readonly syncStreamsMax: number;
}

/** The places for event streams of programs and browsers. An organisation, or an address of browsers, gets a part. */
export class StreamRoom {
  readonly #streams: FairRoom;
  readonly #browsers: FairRoom;
  readonly #holds = new Map<StreamHolder, readonly FairHold[]>();

  constructor({ limits: { budgets }, place, syncStreamsMax: max }: StreamWorker) {
    const browsersMax = Math.max(1, Math.floor(max * browserShare));
    this.#streams = new FairRoom(new SharedBudget(budgets.streams, place, max), max);
    this.#browsers = new FairRoom(new SharedBudget(budgets.browserStreams, place, browsersMax), browsersMax);
  }

  /** @returns null: there is room, and `give` must follow with the same holder; otherwise what was used up */
  take(holder: StreamHolder): RefusedStream | null {
    const stream = this.#streams.of(accountNameOf(holder));
    if (!stream.take(1)) return 'all';
    const holds = holder.browser === null ? [stream] : [stream, this.#browsers.ofStranger(holder.browser)];
    if (holds[1]?.take(1) === false) {
      stream.end();
      return 'browsers';
    }
    this.#holds.set(holder, holds);
    return null;
  }

  give(holder: StreamHolder): void {
    for (const hold of this.#holds.get(holder) ?? []) hold.end();
    this.#holds.delete(holder);
  }
}
