import type { SyncPosition } from '../domain/sync/sync-position.ts';

export type StreamKind = 'sync' | 'ofrep' | 'console' | 'flagd';

/** Why the service ends a stream. */
export const streamEnds = [
  'token',
  'environment',
  'slow',
  'drain',
  'detached',
  'fault',
  'too-large',
] as const;
export type StreamEnd = (typeof streamEnds)[number];

/** Bytes that a stream sends. All streams that need the same event share it. */
export interface StreamEvent {
  /** The name under which it is counted. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the client has when it has received the event. Null: the source keeps this itself. */
  readonly known: SyncPosition | null;
  /** A client that has this already is not sent the event, which has the same content. */
  readonly sameAs?: SyncPosition | null;
  /** Streams that have begun to send it and are not at its end. */
  readonly readers: Set<Stream>;
}

export function streamEvent(name: string, bytes: Uint8Array, known: SyncPosition | null = null): StreamEvent {
  return { name, bytes, known, readers: new Set() };
}

/** The connection of a stream's client. */
export interface Outlet {
  /** The most bytes of one write. A longer event is written in several. */
  readonly chunkBytes: number;
  readonly isOver: boolean;
  /** @returns whether these bytes may be written; if not, the outlet schedules the stream when they may */
  reserve?(bytes: number): boolean;
  /** @returns whether the client has taken the bytes; if not, the listener of `onTaken` is called when it has */
  write(bytes: Uint8Array): boolean;
  onTaken(listener: () => void): void;
  /** @param listener called once when the client goes away */
  onGone(listener: () => void): void;
  /** Ends the stream in order: its client has taken everything. */
  end(reason: StreamEnd, farewell: Uint8Array | null): void;
  /** Ends the stream in the middle of an event. */
  cut(reason: StreamEnd): void;
}

/**
 * The HTTP server silently closes a connection that takes nothing for 10 s. A stream that ends before that is logged
 * and counted.
 */
export const httpStallMs = 8000;

/** What one or more streams send. */
export interface Source {
  readonly kind: StreamKind;
  /** The least time between two events of a stream. */
  readonly eventEveryMs: number;
  /** A client that takes nothing for this time is cut off. */
  readonly stallMs: number;
  /** @returns the next event; null: the client has everything; `later`: the event is being made, and will be offered */
  next(stream: Stream): StreamEvent | 'later' | null;
  /** No stream is sending the event any more. */
  release(event: StreamEvent): void;
  /** @returns bytes that keep an idle connection open; null: none now */
  beat(stream: Stream): Uint8Array | null;
  /** @returns why the stream must end; null: it may go on */
  check(stream: Stream): StreamEnd | null;
  farewell(stream: Stream, reason: StreamEnd): Uint8Array | null;
  leave(stream: Stream): void;
}

export interface StreamHooks {
  /** The stream can go on. */
  schedule(stream: Stream): void;
  onOver(stream: Stream): void;
  countEvent(stream: Stream, name: string): void;
  countBytes(stream: Stream, bytes: number): void;
}

/** Chunks that a stream writes before other streams go on. */
const chunksOfSlice = 16;

/**
 * One open stream. It knows what its client has. When it is writable and its client lacks something, it sends the newest
 * event. Nothing is queued: a client that reads slowly skips the states in between.
 */
export class Stream {
  readonly source: Source;
  readonly outlet: Outlet;
  /** Null: the client needs no token. */
  readonly tokenId: string | null;
  /** What the client has when it has received what was written. Null: nothing. */
  known: SyncPosition | null;
  /** The next event is being made. */
  isWaiting = false;
  /** An event must wait for the end of `eventEveryMs`. */
  isHeldBack = false;
  mustCheck = false;
  mustBeat = false;
  beatAt: number;
  /** Since when the client has not taken what was written. Null: it has. */
  blockedSince: number | null = null;
  /** Since when the client lacks a change. Null: it has all of them, or has just connected. */
  behindSince: number | null = null;
  isOver = false;
  readonly #hooks: StreamHooks;
  #event: StreamEvent | null = null;
  #sentBytes = 0;
  #notBefore = 0;

  constructor(
    source: Source,
    outlet: Outlet,
    client: { readonly tokenId: string | null; readonly known: SyncPosition | null; readonly beatAt: number },
    hooks: StreamHooks,
  ) {
    this.source = source;
    this.outlet = outlet;
    this.tokenId = client.tokenId;
    this.known = client.known;
    this.beatAt = client.beatAt;
    this.#hooks = hooks;
    outlet.onTaken(() => {
      this.blockedSince = null;
      hooks.schedule(this);
    });
  }

  /** An event is on its way. */
  get isBusy(): boolean {
    return this.#event !== null || this.blockedSince !== null;
  }

  offer(event: StreamEvent): void {
    if (this.isOver || this.#event !== null) return;
    const { known } = this;
    if (event.sameAs && known?.history === event.sameAs.history && known.number >= event.sameAs.number) {
      this.known = event.known;
      return;
    }
    this.#event = event;
    this.#sentBytes = 0;
    event.readers.add(this);
  }

  /** Writes what the client takes. @returns whether the stream can go on at once */
  run(now: number): boolean {
    if (this.isOver || this.blockedSince !== null) return false;
    const event = this.#event ?? this.#begin(now);
    if (event === null) return false;
    for (let left = chunksOfSlice; left > 0 && this.#event === event; left -= 1) {
      if (!this.#writeChunk(event, now)) return false;
    }
    return true;
  }

  #begin(now: number): StreamEvent | null {
    if (this.isWaiting) return null;
    this.isHeldBack = now < this.#notBefore;
    if (this.isHeldBack) return null;
    const event = this.source.next(this);
    if (event === 'later') this.isWaiting = true;
    else if (event === null) this.behindSince = null;
    else this.offer(event);
    return this.#event;
  }

  /** @returns whether the client has taken the chunk */
  #writeChunk(event: StreamEvent, now: number): boolean {
    const { bytes } = event;
    const chunk = bytes.subarray(this.#sentBytes, this.#sentBytes + this.outlet.chunkBytes);
    if (this.outlet.reserve?.(chunk.length) === false) return false;
    if (this.#sentBytes === 0) this.#hooks.countEvent(this, event.name);
    this.#sentBytes += chunk.length;
    const isTaken = this.write(chunk, now);
    if (!this.isOver && this.#sentBytes === bytes.length) this.#finishEvent(event, now);
    return isTaken && !this.isOver;
  }

  #finishEvent(event: StreamEvent, now: number): void {
    this.known = event.known ?? this.known;
    this.mustBeat = false;
    this.#notBefore = now + this.source.eventEveryMs;
    this.#letGo();
  }

  #letGo(): void {
    const event = this.#event;
    this.#event = null;
    event?.readers.delete(this);
    if (event?.readers.size === 0) this.source.release(event);
  }

  /** @returns whether the client has taken the bytes */
  write(bytes: Uint8Array, now: number): boolean {
    this.#hooks.countBytes(this, bytes.length);
    const isTaken = this.outlet.write(bytes);
    if (!isTaken) this.blockedSince = now;
    return isTaken;
  }

  end(reason: StreamEnd): void {
    if (this.isOver) return;
    if (this.isBusy || reason === 'slow') this.outlet.cut(reason);
    else {
      const farewell = this.source.farewell(this, reason);
      if (farewell !== null) this.#hooks.countEvent(this, 'goodbye');
      this.outlet.end(reason, farewell);
    }
    this.finish();
  }

  /** The connection is over, or about to be. */
  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#letGo();
    this.source.leave(this);
    this.#hooks.onOver(this);
  }
}
