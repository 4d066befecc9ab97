import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { addressOf } from './address-of.ts';
import { refusalOf } from './ask.ts';
import { isSomebodyThere } from './attendance.ts';

/** A stream that broke or was refused is opened again after a pause that doubles, and that differs between pages. */
const reopenMsMin = 1_000;
const reopenMsMax = 30_000;
/** The service writes at least every 15 s. After so long a silence the connection is given up. */
export const silenceMsMax = 45_000;

/** Whether changes by others arrive. */
export interface StreamState {
  readonly isLive: boolean;
  /** Status of the service's refusal; 0 when there is no connection, and while it is live. */
  readonly status: number;
  /** Why the service refused the stream; empty without a refusal. */
  readonly reason: string;
}

export const notConnected: StreamState = { isLive: false, status: 0, reason: '' };
const connected: StreamState = { isLive: true, status: 0, reason: '' };

export interface StreamListener {
  /** @param from the position that the report begins at: a page that knows less has a gap */
  onChanged(from: string, changed: WatchedChanges): void;
  onState(state: StreamState): void;
  /** The service has written something. */
  onBeat(): void;
}

interface StreamOptions {
  /** Null on a page without a project: then only the organisation is watched. */
  readonly projectId: string | null;
  /** The position of the last reading. */
  readonly since: string;
  readonly listener: StreamListener;
}

/**
 * A stream of changes from the service, opened again whenever it ends. Not an `EventSource`: that would not say why it
 * was refused, would not notice a dead connection, and would open again with the first position.
 */
export class ChangeStream {
  readonly #projectId: string | null;
  readonly #listener: StreamListener;
  #since: string;
  #state = notConnected;
  /** Null during the pause before the next opening, and at the end. */
  #connection: AbortController | null = null;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor({ projectId, since, listener }: StreamOptions) {
    this.#projectId = projectId;
    this.#since = since;
    this.#listener = listener;
    this.#open();
  }

  get state(): StreamState {
    return this.#state;
  }

  /** Everything up to this position has been reported. */
  get since(): string {
    return this.#since;
  }

  /** Reports the changes since an older position, too. */
  reopenFrom(since: string): void {
    this.#since = since;
    this.#open();
  }

  /** Ends the pause before the next opening. */
  hurry(): void {
    if (this.#connection === null) this.#open();
  }

  close(): void {
    clearTimeout(this.#reopening);
    this.#connection?.abort();
    this.#connection = null;
  }

  #open(): void {
    this.close();
    const connection = new AbortController();
    this.#connection = connection;
    void this.#follow(connection);
  }

  async #follow(connection: AbortController): Promise<void> {
    const state = await this.#read(connection).catch(() => notConnected);
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#reopening = setTimeout(() => this.#open(), pauseMs(this.#failures));
    this.#failures += 1;
    this.#tell(state);
  }

  /** @returns why there is no stream any more */
  async #read(connection: AbortController): Promise<StreamState> {
    const { signal } = connection;
    const response = await fetch(addressOfStream(this.#projectId, this.#since), {
      headers: isSomebodyThere() ? {} : { 'X-Burgee-Background': '1' },
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
    });
    if (!response.ok || response.body === null) {
      // Of another server on the way, such as a proxy, only the status is shown.
      const isOurs = response.headers.get('Content-Type')?.startsWith('application/json');
      const { status, message } = await refusalOf(response);
      return { isLive: false, status, reason: isOurs ? message : `Status ${status}.` };
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let unread = '';
    for (;;) {
      const silence = setTimeout(() => connection.abort(), silenceMsMax);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done || this.#connection !== connection) return notConnected;
      const events = `${unread}${value}`.split('\n\n');
      unread = events.pop() ?? '';
      this.#listener.onBeat();
      for (const event of events) this.#take(event);
    }
  }

  /** @param event `event: NAME`, `data: JSON`; or a comment, which keeps the connection open */
  #take(event: string): void {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
    if (data === undefined) return;
    if (name === 'ready') {
      this.#failures = 0;
      this.#tell(connected);
    }
    const changed = JSON.parse(data) as WatchedChanges;
    const from = this.#since;
    if (changed.position === from) return;
    this.#since = changed.position;
    this.#listener.onChanged(from, changed);
  }

  #tell(state: StreamState): void {
    this.#state = state;
    this.#listener.onState(state);
  }
}

function addressOfStream(projectId: string | null, since: string): string {
  if (projectId === null) return addressOf('watch-organisation', {}, { since });
  return addressOf('watch-project', { projectId }, { since });
}

function pauseMs(failures: number): number {
  const ms = Math.min(reopenMsMax, reopenMsMin * 2 ** failures);
  return ms * (0.5 + Math.random() / 2);
}
