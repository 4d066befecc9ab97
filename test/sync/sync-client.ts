import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { SyncAudience, SyncDelta, SyncFlag, SyncSnapshot } from '../../src/domain/sync/configuration.ts';
import type { Lifetime } from '../support/lifetime.ts';

export interface SyncEventRead {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads events of any shape
  readonly data: any;
}

interface StreamOptions {
  readonly port: number;
  readonly path: string;
  readonly secret: string;
  readonly lastEventId?: string;
  readonly accept?: string;
  /** What the client knows already. */
  readonly state?: AppliedConfiguration;
}

/** A stream of sync, as a client reads it, with the configuration that follows from its events. */
export class SyncReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Resolves with whether the stream was ended in order and not cut. */
  readonly ended: Promise<boolean>;
  readonly state: AppliedConfiguration;
  readonly response: IncomingMessage;
  bytes = 0;
  lastEventId = '';
  #events: SyncEventRead[] = [];
  #text = '';
  #wake: () => void = () => undefined;

  constructor(response: IncomingMessage, state: AppliedConfiguration) {
    this.state = state;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.response = response;
    this.ended = new Promise((resolve) => {
      response.on('end', () => resolve(true)).on('error', () => resolve(false));
    });
    if (this.status === 200) this.read();
    else response.resume();
  }

  read(): void {
    this.response.setEncoding('utf8').on('data', (text: string) => this.#take(text));
  }

  /** Waits for the next event. @param passes by default any but a beat */
  async next(passes = (event: SyncEventRead) => event.event !== 'beat'): Promise<SyncEventRead> {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
        if (passes(event)) return event;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the client knows a version. */
  async reach(version: string): Promise<void> {
    while (!isAtLeast(this.state.version, version)) await this.next(() => true);
  }

  close(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    this.bytes += text.length;
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#add(block);
    this.#wake();
  }

  #add(block: string): void {
    const lines = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const { id = '', event = '', data = 'null' } = lines as Record<string, string>;
    const read = { id, event, data: JSON.parse(data) };
    if (event !== 'goodbye') this.lastEventId = id;
    this.state.apply(read);
    this.#events.push(read);
  }
}

function isAtLeast(known: string, wanted: string): boolean {
  const [history, number] = known.split('.');
  const [wantedHistory, wantedNumber] = wanted.split('.');
  return history === wantedHistory && Number(number) >= Number(wantedNumber);
}

/** What a client knows after some events. */
export class AppliedConfiguration {
  version = '';
  readonly flags = new Map<string, SyncFlag>();
  readonly audiences = new Map<string, SyncAudience>();

  apply({ event, data }: SyncEventRead): void {
    if (event === 'snapshot') this.replace(data as SyncSnapshot);
    else if (event === 'delta') this.#change(data as SyncDelta);
    else if (event === 'beat') this.version = data.version;
  }

  replace({ version, flags, audiences }: SyncSnapshot): void {
    this.flags.clear();
    this.audiences.clear();
    this.#put({ version, flags, audiences });
  }

  #change(delta: SyncDelta): void {
    this.#put(delta);
    for (const id of delta.removed) this.flags.delete(id);
    for (const id of delta.removedAudiences) this.audiences.delete(id);
  }

  #put({ version, flags, audiences }: Pick<SyncSnapshot, 'version' | 'flags' | 'audiences'>): void {
    this.version = version;
    for (const flag of flags) this.flags.set(flag.id, flag);
    for (const audience of audiences) this.audiences.set(audience.id, audience);
  }

  /** In an order of its own, for comparisons. */
  get content(): object {
    const byId = <T extends { readonly id: string }>(all: Iterable<T>) =>
      [...all].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { flags: byId(this.flags.values()), audiences: byId(this.audiences.values()) };
  }
}

/** Opens a stream; it is closed with the test. */
export async function openSync(t: Lifetime, options: StreamOptions): Promise<SyncReader> {
  const response = await begin(t, options);
  return new SyncReader(response, options.state ?? new AppliedConfiguration());
}

function begin(
  t: Lifetime,
  { port, path, secret, lastEventId, accept = 'text/event-stream' }: StreamOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      Accept: accept,
      Authorization: `Bearer ${secret}`,
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    };
    const sent: ClientRequest = request({ host: '127.0.0.1', port, path, headers, agent: false }, resolve);
    sent.on('error', reject).end();
    t.teardown(() => {
      sent.destroy();
    });
  });
}
