import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import type { Exchange } from '../../http/exchange.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { StoreVersion } from '../../support/store-version.ts';
import type { TextPieces } from '../../support/text-pieces.ts';
import type { ApiCall, ApiReads } from '../call.ts';
import { cutOff } from '../refuse-undecided.ts';
import type { Viewer, WatchPort } from './watch-places.ts';

export interface PageWatchersOptions {
  readonly reads: ApiReads;
  readonly places: WatchPort;
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly onFault: (fault: unknown) => void;
  /** Whether what is stored here is current: a node that is cut off from its cluster shows no page its changes. */
  isAttached(): boolean;
}

/** The state of a page between two checks. */
interface Watch {
  readonly watcher: Watcher;
  /** Repeated at each check: a person who may not see the project any more is sent away. */
  readonly call: ApiCall;
  /** Its place in the process' list of pages. */
  readonly place: number;
  /** In the form of `look-at-project` and `look-at-organisation`. */
  position: string;
  versionSeen: number;
  lookedAt: number;
  beatenAt: number;
}

/** The answer of `look-at-project` and `look-at-organisation`. */
interface Changes extends WatchedChanges {
  /** The asking member's organisation. */
  readonly organisationId: string | null;
}

const stopping = 'The service is stopping. Retry in a moment.';
const tickMs = 250;
/** A page is told of changes at most this often. */
const lookEveryMs = 1000;
export const heartbeatMs = 15_000;

/**
 * The pages of one worker that watch changes. While there are any, a timer compares the store's version with the last
 * one. Only when it has moved does each page read its changes; with each heartbeat it checks whether its session still
 * holds. One page is checked in a turn of the event loop.
 */
export class PageWatchers {
  readonly #options: PageWatchersOptions;
  readonly #version: StoreVersion;
  readonly #watches = new Set<Watch>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: PageWatchersOptions) {
    this.#options = options;
    this.#version = new StoreVersion(options.storeVersion);
  }

  /** @returns the page's place among those of the process; or a text that says why it gets none */
  async join(viewer: Viewer): Promise<number | string> {
    if (this.#isClosed) return stopping;
    const place = await this.#options.places.join(viewer);
    if (typeof place === 'string' || !this.#isClosed) return place;
    this.#options.places.leave(place);
    return stopping;
  }

  /** @returns why no page may begin to watch now; null: it may */
  whyNot(): string | null {
    if (this.#isClosed) return stopping;
    return this.#options.isAttached() ? null : cutOff;
  }

  leave(place: number): void {
    this.#options.places.leave(place);
  }

  /**
   * The version of the newest commit. Taken before a page reads its first position, so that no change is missed in
   * between.
   */
  version(): number {
    return this.#version.settled();
  }

  /** @param position where the page begins; it was known at the store's version `versionSeen`. */
  add(watcher: Watcher, place: number, call: ApiCall, position: string, versionSeen: number): void {
    const now = monotonicMs();
    const times = { lookedAt: now - lookEveryMs, beatenAt: now };
    const watch = { watcher, place, call, position, versionSeen, ...times };
    this.#watches.add(watch);
    // At once, because the page that is loaded next asks for the place of the one before.
    watcher.onGone(() => this.#drop(watch));
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Ends every page's stream; browsers reconnect to the process that serves then. */
  close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #endAll(): void {
    for (const watch of [...this.#watches]) {
      watch.watcher.end();
      this.#drop(watch);
    }
  }

  #tick(): void {
    // The page connects anew: to another node, where a load balancer asks for those that are ready.
    if (!this.#options.isAttached()) {
      this.#endAll();
      return;
    }
    const [now, version] = [monotonicMs(), this.version()];
    const due: Watch[] = [];
    for (const watch of this.#watches) {
      if (now - watch.lookedAt < lookEveryMs) continue;
      const hasMoved = watch.versionSeen !== version;
      if (!hasMoved && now - watch.beatenAt < heartbeatMs) continue;
      watch.lookedAt = now;
      due.push(watch);
    }
    this.#lookAtEach(due, version);
  }

  /** Checks one page in a turn of the event loop: there may be hundreds, and requests wait. */
  #lookAtEach(due: Watch[], version: number): void {
    const watch = due.pop();
    if (watch === undefined) return;
    setImmediate(() => {
      this.#look(watch, version);
      this.#lookAtEach(due, version);
    });
  }

  #look(watch: Watch, version: number): void {
    if (!this.#watches.has(watch)) return;
    const now = monotonicMs();
    try {
      this.#read(watch, version);
    } catch (fault) {
      this.#options.onFault(fault);
    }
    if (now - watch.beatenAt < heartbeatMs) return;
    watch.beatenAt = now;
    watch.watcher.beat();
  }

  /** The stream ends when the session is over, or the project may no longer be seen. */
  #read(watch: Watch, version: number): void {
    const query = `since=${encodeURIComponent(watch.position)}`;
    const { answer, release } = this.#options.reads.read({ ...watch.call, query });
    release();
    if (answer.status >= 500) return;
    if (answer.status !== 200) {
      watch.watcher.end();
      this.#drop(watch);
      return;
    }
    const { organisationId: _, ...changes } = readChanges(answer.body);
    watch.versionSeen = version;
    if (changes.position === watch.position) return;
    watch.position = changes.position;
    watch.watcher.tell('changed', changes);
  }

  #drop(watch: Watch): void {
    if (!this.#watches.delete(watch)) return;
    this.leave(watch.place);
    if (this.#watches.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

export function readChanges(body: string | TextPieces): Changes {
  if (typeof body !== 'string') throw new Error('the changes for a page come in pieces');
  return JSON.parse(body) as Changes;
}

const encoder = new TextEncoder();
/** A comment of the event stream: it keeps proxies from closing an idle connection. */
const heartbeat = encoder.encode(':\n\n');

/**
 * One open page: a response that never ends by itself. Nothing is written while the client has not taken the last
 * event, which bounds the memory.
 */
export class Watcher {
  readonly #exchange: Exchange;
  /** The client's socket has not taken what was written last. */
  #isBehind = false;

  /** The exchange has begun. */
  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onWritable(() => {
      this.#isBehind = false;
    });
  }

  /** @param listener called when the client has closed the connection, or the stream was cut */
  onGone(listener: () => void): void {
    this.#exchange.onAborted(listener);
  }

  /** Sends an event. A page that has not read the last event is cut off: it reconnects and reads anew. */
  tell(event: string, data: unknown): void {
    this.#write(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  beat(): void {
    this.#write(heartbeat);
  }

  end(): void {
    this.#exchange.end();
  }

  #write(bytes: Uint8Array): void {
    if (this.#isBehind) this.#exchange.cut();
    else this.#isBehind = !this.#exchange.write(bytes);
  }
}
