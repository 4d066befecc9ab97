import { type IncomingMessage, request } from 'node:http';
import type { Lifetime } from '../support/lifetime.ts';
import type { ConsoleClient } from './console-client.ts';

export interface ServerEvent {
  /** `:` for a comment. */
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads events of any shape
  readonly data: any;
}

/** A stream of server-sent events, as a page reads it. */
export class EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Resolves with whether the stream was ended in order and not cut. */
  readonly ended: Promise<boolean>;
  readonly #events: ServerEvent[] = [];
  readonly #response: IncomingMessage;
  #text = '';
  #wake: () => void = () => undefined;

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    response.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.ended = new Promise((resolve) => {
      response.on('end', () => resolve(true)).on('error', () => resolve(false));
    });
  }

  /** Everything that came over its connection so far. */
  get wireBytes(): number {
    return this.#response.socket.bytesRead;
  }

  /** Waits for the next event. */
  async next(): Promise<ServerEvent> {
    while (true) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#response.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#events.push(eventOf(block));
    this.#wake();
  }
}

function eventOf(block: string): ServerEvent {
  if (block.startsWith(':')) return { event: ':', data: null };
  const [event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
  return { event, data: JSON.parse(data) };
}

/** @param path below `/console/api` */
export function openEventStream(t: Lifetime, client: ConsoleClient, path: string): Promise<EventStream> {
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: client.port,
      path: `/console/api${path}`,
      headers: { cookie, accept: 'text/event-stream' },
      agent: false,
    };
    const asked = request(options, (response) => resolve(new EventStream(response)));
    asked.on('error', reject).end();
    t.teardown(() => asked.destroy());
  });
}
