import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { HeldConfiguration } from '../configuration/held-configuration.ts';
import { parseJson, readBeat, readDelta, readGoodbye, readSnapshot } from '../configuration/sync-shapes.ts';
import type { Timings } from '../timings.ts';
import { receivedBytesMax } from './configuration-bound.ts';
import { ConnectionEnded, expectAnswer } from './connection-end.ts';
import { send } from './request.ts';
import type { SyncAddress } from './sync-address.ts';

export interface StreamPlan {
  /** Sent as `Last-Event-ID`; null requests everything. */
  readonly position: string | null;
  /** How long to wait for the first byte of the stream. */
  readonly firstByteMs: number;
  /** Called after each event that makes the configuration current. */
  readonly onCurrent: () => void;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/**
 * Follows a project's configuration over one connection until it ends.
 * @throws always, when it ends: ConnectionEnded, UnusableConfiguration, or the socket's error
 */
export async function followStream(
  address: SyncAddress,
  held: HeldConfiguration,
  timings: Timings,
  plan: StreamPlan,
): Promise<never> {
  const watchdog = new Watchdog(plan.firstByteMs, plan.signal);
  try {
    const answer = await send(address.configuration, {
      headers: {
        ...address.configurationHeaders(),
        accept: 'text/event-stream',
        'cache-control': 'no-cache',
        ...(plan.position === null ? {} : { 'last-event-id': plan.position }),
      },
      signal: watchdog.signal,
    });
    try {
      await expectAnswer(answer, 'text/event-stream', address);
      await readEvents(answer, held, plan, () => watchdog.restart(timings.watchdogMs));
    } finally {
      answer.destroy();
    }
  } catch (fault) {
    throw watchdog.explain(fault);
  } finally {
    watchdog.stop();
  }
  throw new ConnectionEnded({ kind: 'lost', why: `Burgee at ${address.shown} ended the stream.` });
}

async function readEvents(
  answer: IncomingMessage,
  held: HeldConfiguration,
  { position, onCurrent }: StreamPlan,
  onBytes: () => void,
): Promise<void> {
  const apply = new EventReader(held, position !== null);
  let bytesOfEvent = 0;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      bytesOfEvent = 0;
      if (apply.read(event, data)) onCurrent();
    },
  });
  answer.setEncoding('utf8');
  for await (const piece of answer) {
    onBytes();
    bytesOfEvent += (piece as string).length;
    if (bytesOfEvent > receivedBytesMax) {
      throw new Error(`an event is longer than ${receivedBytesMax} bytes`);
    }
    parser.feed(piece as string);
  }
}

/** Applies the events of one stream. */
class EventReader {
  readonly #held: HeldConfiguration;
  /** Whether changes of this stream apply to the held configuration: it resumed there, or began with a snapshot. */
  #hasBase: boolean;

  constructor(held: HeldConfiguration, hasBase: boolean) {
    this.#held = held;
    this.#hasBase = hasBase;
  }

  /** @returns whether the configuration is current now */
  read(event: string | undefined, data: string): boolean {
    switch (event) {
      case 'snapshot':
        this.#held.replace(readSnapshot(parseJson(data)), true);
        this.#hasBase = true;
        return true;
      case 'delta':
        this.#held.change(readDelta(parseJson(data)), this.#hasBase);
        return true;
      case 'beat':
        this.#held.noteBeat(readBeat(parseJson(data)), this.#hasBase);
        return true;
      case 'goodbye':
        throw new ConnectionEnded({
          kind: 'lost',
          why: 'Burgee ended the stream in order and is connected again soon.',
          waitMs: readGoodbye(parseJson(data)).retryAfterMs,
        });
      default:
        // A newer service may send other events.
        return false;
    }
  }
}

/** Aborts a request when no byte arrives in time: a proxy or a network may drop a connection silently. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onOuter = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout;
  #ms: number;
  #hasBytes = false;
  #hasBarked = false;

  constructor(firstMs: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#ms = firstMs;
    this.#timer = this.#arm(firstMs);
    if (outer.aborted) this.#controller.abort();
    outer.addEventListener('abort', this.#onOuter);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #arm(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#hasBarked = true;
      this.#controller.abort();
    }, ms);
    return timer.unref();
  }

  /** Call it when bytes have arrived. */
  restart(ms: number): void {
    this.#hasBytes = true;
    if (ms === this.#ms) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = this.#arm(ms);
  }

  explain(fault: unknown): unknown {
    // An answered error says more, even if its text is incomplete.
    if (!this.#hasBarked || fault instanceof ConnectionEnded) return fault;
    const why = `Nothing has come from Burgee for ${Math.round(this.#ms / 1000)} seconds.`;
    return new ConnectionEnded({ kind: this.#hasBytes ? 'lost' : 'silent', why });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onOuter);
  }
}
