import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { addressOf } from './address-of.ts';
import { isAttended } from './attendance.ts';
import { ownHeaders, refusalOf } from './call.ts';

/** The pause before a stream that broke or was refused is opened again. It doubles, and differs between pages. */
const reopenMsMin = 1_000;
const reopenMsMax = 30_000;
/** The service writes at least every 15 s. After this silence the connection is given up. */
const silenceMsMax = 45_000;

/** Whether changes by others arrive. */
export interface StreamState {
  /** Also false while the page is hidden: it needs no changes then. */
  readonly isCutOff: boolean;
  /** Status of the service's refusal; 0 without one. */
  readonly status: number;
  /** Why the service refused the stream; empty without a refusal. */
  readonly reason: string;
}

export const notConnected: StreamState = { isCutOff: true, status: 0, reason: '' };
const connected: StreamState = { isCutOff: false, status: 0, reason: '' };

interface StreamOptions {
  /** Null on a page without a project: then only the organisation is watched. */
  readonly projectId: string | null;
  /** The position of the last reading: the service reports what has changed after it. */
  readonly since: string;
  readonly onChanged: (changed: WatchedChanges) => void;
  readonly onState: (state: StreamState) => void;
}

/**
 * The stream of changes by others, open while the page is visible and opened again whenever it ends. Not an
 * `EventSource`: that would not say why it was refused, would not notice a dead connection, and would open again with the
 * first position.
 */
export class ChangeStream {
  readonly #options: StreamOptions;
  #since: string;
  /** Null while there is no connection. */
  #connection: AbortController | null = null;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  readonly #over = new AbortController();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#since = options.since;
    const { signal } = this.#over;
    document.addEventListener('visibilitychange', this.#followPage, { signal });
    // After either event the connection may be dead, or still work: Burgee may be on this machine.
    for (const event of ['online', 'offline']) window.addEventListener(event, this.#reopen, { signal });
    this.#followPage();
  }

  end(): void {
    this.#over.abort();
    this.#close();
  }

  /** Closes the stream of a hidden page. A page that becomes visible again does not wait for the end of a pause. */
  readonly #followPage = (): void => {
    if (document.visibilityState === 'hidden') {
      this.#close();
      this.#options.onState(connected);
    } else if (this.#connection === null) {
      this.#options.onState(notConnected);
      this.#open();
    }
  };

  readonly #reopen = (): void => {
    if (document.visibilityState !== 'hidden') this.#open();
  };

  #close(): void {
    clearTimeout(this.#reopening);
    this.#connection?.abort();
    this.#connection = null;
  }

  #open(): void {
    this.#close();
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
    this.#options.onState(state);
  }

  /** @returns why there is no stream any more */
  async #read(connection: AbortController): Promise<StreamState> {
    const response = await fetch(addressOfStream(this.#options.projectId, this.#since), {
      headers: { ...ownHeaders(), ...(isAttended() ? {} : { 'X-Burgee-Background': '1' }) },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: connection.signal,
    });
    if (!response.ok || response.body === null) {
      const { status, message } = await refusalOf(response);
      return { isCutOff: true, status, reason: message };
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let unread = '';
    for (;;) {
      const silence = setTimeout(() => connection.abort(), silenceMsMax);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done || this.#connection !== connection) return notConnected;
      const events = `${unread}${value}`.split('\n\n');
      unread = events.pop() ?? '';
      for (const event of events) this.#take(event);
    }
  }

  /** @param event `event: NAME`, `data: JSON`; or a comment, which keeps the connection open */
  #take(event: string): void {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
    if (data === undefined) return;
    if (name === 'ready') {
      this.#failures = 0;
      this.#options.onState(connected);
    }
    const changed = JSON.parse(data) as WatchedChanges;
    if (changed.position === this.#since) return;
    this.#since = changed.position;
    this.#options.onChanged(changed);
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
