import type { WatchedChanges } from '../domain/audit/watched-changes.ts';
import type { ApiCall, ApiReads } from '../operations/call.ts';
import { cutOff } from '../operations/refuse-undecided.ts';
import { type OpenedPage, type PageWatchers, readChanges } from '../operations/watching/page-watchers.ts';
import type { Viewer, WatchPort } from '../operations/watching/watch-places.ts';
import { comment } from './ofrep-events.ts';
import { httpStallMs, type Source, type StreamEnd, type StreamEvent, streamEvent } from './stream.ts';
import { HttpOutlet, type StreamServer } from './stream-server.ts';

export interface ConsolePagesOptions {
  readonly server: StreamServer;
  readonly reads: ApiReads;
  readonly places: WatchPort;
  isAttached(): boolean;
}

const stopping = 'The service is stopping. Retry in a moment.';

/** Opens the streams on which pages of the console watch changes. */
export class ConsolePages implements PageWatchers {
  readonly #options: ConsolePagesOptions;

  constructor(options: ConsolePagesOptions) {
    this.#options = options;
  }

  async join(viewer: Viewer): Promise<number | string> {
    return this.whyNot() ?? (await this.#options.places.join(viewer));
  }

  leave(slot: number): void {
    this.#options.places.leave(slot);
  }

  whyNot(): string | null {
    if (this.#options.server.isClosed) return stopping;
    return this.#options.isAttached() ? null : cutOff;
  }

  open({ exchange, call, first, slot }: OpenedPage): void {
    const { server, reads } = this.#options;
    server.open({
      kind: 'console',
      outlet: new HttpOutlet(exchange),
      tokenId: null,
      known: null,
      greeting: eventBytes('ready', first),
      source: () => new ConsolePage(reads, call, first.position),
      onOver: () => this.leave(slot),
    });
  }
}

function eventBytes(event: 'ready' | 'changed', changes: WatchedChanges): Uint8Array {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(changes)}\n\n`);
}

/** One page. After a commit it checks whether the member may still see the project, and what changed there. */
class ConsolePage implements Source {
  readonly kind = 'console';
  /** Streams are checked at most once a second, which is when there are events. */
  readonly eventEveryMs = 0;
  readonly stallMs = httpStallMs;
  readonly #reads: ApiReads;
  readonly #call: ApiCall;
  #position: string;
  #next: StreamEvent | null = null;

  /** @param position of the changes that the page has */
  constructor(reads: ApiReads, call: ApiCall, position: string) {
    this.#reads = reads;
    this.#call = call;
    this.#position = position;
  }

  check(): StreamEnd | null {
    // The query covers changes that were not sent yet.
    const query = `since=${encodeURIComponent(this.#position)}`;
    const { answer, release } = this.#reads.read({ ...this.#call, query });
    release();
    if (answer.status >= 500) return null;
    if (answer.status !== 200) return 'token';
    const changes = readChanges(answer.body);
    const hasMoved = changes.position !== this.#position;
    this.#next = hasMoved ? streamEvent(changes.position, eventBytes('changed', changes)) : null;
    return null;
  }

  next(): StreamEvent | null {
    const event = this.#next;
    this.#next = null;
    // From here on the client has it, or its stream ends.
    if (event !== null) this.#position = event.name;
    return event;
  }

  beat(): Uint8Array {
    return comment;
  }

  release(): void {}

  farewell(): null {
    return null;
  }

  leave(): void {}
}
