import { readPosition } from '../../domain/audit/watch-position.ts';
import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { ChangeStream, type StreamListener, type StreamState, silenceMsMax } from './change-stream.ts';

/**
 * What the tabs of a browser tell each other (decision 0071). The tab that holds the lock leads: it has the stream.
 */
type Message =
  /** From a tab without a stream, which knows the changes up to `since`. */
  | { readonly kind: 'hello'; readonly since: string }
  /** From a new leader: every other tab answers with `hello`. */
  | { readonly kind: 'leads' }
  | { readonly kind: 'changed'; readonly from: string; readonly changed: WatchedChanges }
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'beat' };

/** Changes with the messages: tabs with another version of the console are left alone. */
const protocol = 2;
/** A leader answers at once. After this time a tab takes a stream of its own: the leader's tab may be suspended. */
const answerMsMax = 5_000;

interface SharedChangesOptions {
  readonly memberId: string;
  readonly projectId: string | null;
  readonly since: string;
  readonly onChanged: (changed: WatchedChanges) => void;
  readonly onState: (state: StreamState) => void;
}

/**
 * The changes by others, by one stream for all tabs of a browser with the same member and project. Without locks and
 * channels, as on an insecure origin, each tab has its own.
 */
export class SharedChanges implements StreamListener {
  readonly #options: SharedChangesOptions;
  readonly #name: string;
  /** The position of this tab. */
  #since: string;
  /** The leader's; or this tab's own, while no leader answers. */
  #stream: ChangeStream | null = null;
  #isLeader = false;
  #channel: BroadcastChannel | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #over = new AbortController();

  constructor(options: SharedChangesOptions) {
    const { memberId, projectId, since } = options;
    this.#options = options;
    this.#since = since;
    this.#name = `burgee-live-${protocol}:${memberId}:${projectId ?? ''}`;
    if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') this.#openStream();
    else this.#join();
    const { signal } = this.#over;
    window.addEventListener('online', this.#wake, { signal });
    document.addEventListener('visibilitychange', this.#wake, { signal });
  }

  /** The next tab in the queue leads. */
  end(): void {
    this.#over.abort();
    clearTimeout(this.#silence);
    this.#stream?.close();
    this.#channel?.close();
  }

  onChanged(from: string, changed: WatchedChanges): void {
    this.#send({ kind: 'changed', from, changed });
    this.#take(from, changed);
  }

  onState(state: StreamState): void {
    this.#send({ kind: 'state', state });
    this.#options.onState(state);
  }

  onBeat(): void {
    this.#send({ kind: 'beat' });
  }

  #join(): void {
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#hear(data));
    // Refused when this page is left before its turn comes.
    const { signal } = this.#over;
    void navigator.locks.request(this.#name, { signal }, () => this.#lead()).catch(() => undefined);
    this.#greet();
  }

  /** @returns a promise that holds the lock until the page is left */
  #lead(): Promise<void> {
    const { signal } = this.#over;
    if (signal.aborted) return Promise.resolve();
    this.#isLeader = true;
    clearTimeout(this.#silence);
    this.#openStream();
    this.#channel?.postMessage({ kind: 'leads' } satisfies Message);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #openStream(): void {
    const { projectId } = this.#options;
    this.#stream ??= new ChangeStream({ projectId, since: this.#since, listener: this });
  }

  /** A person may be waiting here: a pause before the next attempt ends. */
  readonly #wake = (): void => {
    if (document.visibilityState === 'hidden') return;
    if (this.#stream === null) this.#greet();
    else this.#stream.hurry();
  };

  #greet(): void {
    this.#channel?.postMessage({ kind: 'hello', since: this.#since } satisfies Message);
    this.#awaitLeader(answerMsMax);
  }

  #awaitLeader(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#openStream(), ms);
  }

  #send(message: Message): void {
    if (this.#isLeader) this.#channel?.postMessage(message);
  }

  #hear(message: Message): void {
    if (this.#isLeader) {
      if (message.kind === 'hello') this.#welcome(message.since);
      return;
    }
    if (message.kind === 'hello') return;
    if (this.#stream !== null || message.kind === 'leads') this.#follow();
    this.#awaitLeader(silenceMsMax);
    if (message.kind === 'changed') this.#take(message.from, message.changed);
    if (message.kind === 'state') this.#options.onState(message.state);
  }

  /** There is a leader again. */
  #follow(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#greet();
  }

  #welcome(since: string): void {
    if (this.#stream === null) return;
    this.#stream.hurry();
    if (isBefore(since, this.#stream.since)) this.#stream.reopenFrom(since);
    this.#send({ kind: 'state', state: this.#stream.state });
  }

  #take(from: string, changed: WatchedChanges): void {
    if (changed.position === this.#since) return;
    // Changes between are missing here: the leader asks the service for them.
    if (isBefore(this.#since, from)) {
      this.#greet();
      return;
    }
    this.#since = changed.position;
    this.#options.onChanged(changed);
  }
}

/** Whether a page with the position `one` lacks changes that one with `other` has. */
function isBefore(one: string, other: string): boolean {
  const [first, second] = [readPosition(one), readPosition(other)];
  if (first === null || second === null || first.history !== second.history) return one !== other;
  return first.organisation < second.organisation || first.personal < second.personal;
}
