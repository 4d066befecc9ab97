import { get, type IncomingMessage } from 'node:http';
import type { Test } from 'tap';

/** A browser's event stream, without its reconnecting. */
export interface EventSource {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All that came so far. */
  text(): string;
  /** The next event, with its id. */
  next(): Promise<FollowedEvent>;
  /** Events that came and were not asked for. */
  readonly waiting: readonly FollowedEvent[];
  readonly ended: Promise<void>;
  close(): void;
}

export interface FollowedEvent {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the data of an event is compared field by field
  readonly data: any;
}

export function openEvents(
  t: Test,
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventSource> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
      resolve(follow(response)),
    );
    request.on('error', reject);
    t.teardown(() => request.destroy());
  });
}

function follow(response: IncomingMessage): EventSource {
  const waiting: FollowedEvent[] = [];
  const asking: ((event: FollowedEvent) => void)[] = [];
  let text = '';
  let read = 0;
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    for (let end = text.indexOf('\n\n', read); end >= 0; end = text.indexOf('\n\n', read)) {
      const event = parse(text.slice(read, end));
      read = end + 2;
      if (event === null) continue;
      const ask = asking.shift();
      if (ask === undefined) waiting.push(event);
      else ask(event);
    }
  });
  const ended = new Promise<void>((resolve) => response.on('close', resolve));
  response.on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    waiting,
    next: () => {
      const [event] = waiting.splice(0, 1);
      return event === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(event);
    },
    ended,
    close: () => response.destroy(),
  };
}

function parse(block: string): FollowedEvent | null {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get('data');
  return data === undefined ? null : { id: fields.get('id') ?? '', data: JSON.parse(data) };
}
