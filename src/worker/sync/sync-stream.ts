import { formatSyncPosition, type SyncPosition } from '../../domain/sync/sync-position.ts';
import type { Exchange } from '../../http/exchange.ts';
import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { EnvironmentFeed, LongContent } from './environment-feed.ts';
import { ChunkList, type SyncMessage, shortEvent } from './sync-events.ts';

/** A client that takes nothing for so long is cut off: it may be gone without a word. */
const unreadMsMax = 30_000;

export interface StreamOptions {
  readonly exchange: Exchange;
  readonly feed: EnvironmentFeed;
  readonly tokenId: string;
  /** What the client knows; null: nothing. */
  readonly position: SyncPosition | null;
}

export interface StreamHooks {
  /** The client has taken what was written, or the stream needs something. */
  onRunnable(stream: SyncStream): void;
  onOver(stream: SyncStream): void;
  countBytes(bytes: number): void;
}

/** The rest of a message on its way to one client. */
interface Rest {
  readonly position: SyncPosition;
  /** @returns the next chunk; null at the end; `later`: it is not made yet */
  next(): Uint8Array | null | 'later';
  end(): void;
}

/**
 * One open stream. It keeps what its client knows, and at most one chunk that the client has not taken: of a client that
 * reads slowly nothing is queued, and when it has caught up it gets the newest state.
 */
export class SyncStream {
  readonly feed: EnvironmentFeed;
  readonly tokenId: string;
  readonly #exchange: Exchange;
  readonly #hooks: StreamHooks;
  /** What the client knows when it has received what was written. */
  position: SyncPosition | null;
  /** A message for it is being made, or it waits for a turn to be sent one. */
  isServed = false;
  #rest: Rest | null = null;
  #behindSince: number | null = null;
  isOver = false;

  constructor({ exchange, feed, tokenId, position }: StreamOptions, hooks: StreamHooks) {
    this.#exchange = exchange;
    this.feed = feed;
    this.tokenId = tokenId;
    this.position = position;
    this.#hooks = hooks;
    exchange.onAborted(() => this.#finish());
    exchange.onWritable(() => {
      this.#behindSince = null;
      hooks.onRunnable(this);
    });
  }

  get isBehind(): boolean {
    return this.#behindSince !== null;
  }

  /** A message is on its way. */
  get isSending(): boolean {
    return this.#rest !== null;
  }

  /** What it is to be sent next; null: its client knows everything, or cannot take anything now. */
  get need(): string | null {
    if (this.isOver || this.isServed || this.isSending || this.isBehind) return null;
    return this.feed.needOf(this.position);
  }

  /** Whether the message leads from what the client knows. */
  mayTake({ event, history }: SyncMessage | LongContent, from: SyncPosition | null): boolean {
    if (this.isOver || this.isSending || this.isBehind) return false;
    if (event === 'snapshot') return true;
    const { position } = this;
    return (
      position !== null && position.history === history && from !== null && position.number >= from.number
    );
  }

  /** @param end called once: the message was written whole, or never will be */
  send({ history, number, chunks }: SyncMessage, end: () => void = () => undefined): void {
    let next = 0;
    this.#begin({
      position: { history, number },
      next: () => {
        next += 1;
        return chunks[next - 1] ?? null;
      },
      end,
    });
  }

  /** @param end gives back what the pieces are made from */
  sendLong({ history, number, pieces }: LongContent, end: () => void): void {
    const chunks = new LongChunks(pieces);
    this.#begin({
      position: { history, number },
      next: () => chunks.next(),
      end: () => {
        pieces.return(undefined);
        end();
      },
    });
  }

  #begin(rest: Rest): void {
    assert(!this.isSending && !this.isBehind, 'a stream is sent one message after the other');
    this.#rest = rest;
    this.run();
  }

  /** Writes what the client takes, a step at a time. @returns whether there is more to be done now */
  run(): boolean {
    const rest = this.#rest;
    if (rest === null || this.isOver || this.isBehind) return false;
    try {
      const chunk = rest.next();
      if (chunk === 'later') return true;
      if (chunk !== null) {
        this.#write(chunk);
        return !this.isBehind && !this.isOver;
      }
    } catch (fault) {
      this.cut();
      throw fault;
    }
    this.#rest = null;
    this.position = rest.position;
    rest.end();
    return true;
  }

  #write(bytes: Uint8Array): void {
    this.#hooks.countBytes(bytes.length);
    if (!this.#exchange.write(bytes)) this.#behindSince = monotonicMs();
  }

  /** Whether its client has taken nothing for too long. */
  get isGone(): boolean {
    return this.#behindSince !== null && monotonicMs() - this.#behindSince > unreadMsMax;
  }

  /** Tells that nothing has changed up to a number. @returns false: its client is behind, or about to be sent more */
  beat(number: number): boolean {
    if (this.isOver || this.isBehind || this.isSending || this.position === null) return false;
    if (this.feed.needOf(this.position) === null && number > this.position.number) {
      this.position = { history: this.position.history, number };
    }
    const version = formatSyncPosition(this.position);
    this.#write(shortEvent('beat', version, { version }));
    return true;
  }

  /** Ends the stream in order: the client connects again after a time. */
  sayGoodbye(retryAfterMs: number): void {
    if (this.isOver) return;
    if (this.isSending || this.isBehind) {
      this.cut();
      return;
    }
    const position = this.position === null ? null : formatSyncPosition(this.position);
    this.#write(shortEvent('goodbye', position, { retryAfterMs }));
    this.end();
  }

  /** Ends the stream; a client that asks again is told why. */
  end(): void {
    if (this.isOver) return;
    if (this.isSending || this.isBehind) {
      this.cut();
      return;
    }
    this.#exchange.end();
    this.#finish();
  }

  cut(): void {
    if (this.isOver) return;
    this.#exchange.cut();
    this.#finish();
  }

  #finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#rest?.end();
    this.#rest = null;
    this.#hooks.onOver(this);
  }
}

/** Pieces of one step of making a chunk: some tens of microseconds each. */
const piecesOfStep = 32;
/** A chunk of a message that is made while it is sent. */
const chunkBytesMin = 32 * 1024;

/** Makes chunks of pieces, some pieces in each step. */
class LongChunks {
  readonly #pieces: Generator<string | Uint8Array>;
  #list = new ChunkList();
  #isMade = false;

  constructor(pieces: Generator<string | Uint8Array>) {
    this.#pieces = pieces;
  }

  next(): Uint8Array | null | 'later' {
    for (let count = 0; !this.#isMade && count < piecesOfStep; count += 1) {
      const piece = this.#pieces.next();
      if (piece.done === true) this.#isMade = true;
      else this.#list.add(piece.value);
      if (this.#list.bytes >= chunkBytesMin) return this.#take();
    }
    if (!this.#isMade) return 'later';
    return this.#list.bytes === 0 ? null : this.#take();
  }

  #take(): Uint8Array {
    const chunks = this.#list.finish();
    this.#list = new ChunkList();
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  }
}
