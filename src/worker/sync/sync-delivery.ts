import type { SyncPosition } from '../../domain/sync/sync-position.ts';
import type { EnvironmentFeed } from './environment-feed.ts';
import type { PinnedState } from './settled-state.ts';
import type { StateWork } from './state-works.ts';
import { atOnceBytesMax, type SyncMessage } from './sync-events.ts';
import type { SyncMeter } from './sync-meter.ts';
import type { SyncStream } from './sync-stream.ts';
import type { SyncWork } from './sync-work.ts';
import { type TurnHolder, Turns } from './turns.ts';

/** Streams that are sent a long message at once by one worker. Such a message is made from a snapshot while it is sent. */
const longTurns = 8;
/** Streams that are sent a kept message of several chunks at once by one worker. */
const chunkedTurns = 64;
/** A client that does not take a long message within this time is cut off: its snapshot keeps the file growing. */
const longMsMax = 30_000;

/** What work on a message has made; null: it has failed, or was withdrawn. */
interface Made {
  message: SyncMessage | 'long' | null;
}

/** A message that is being made for streams that wait for it. */
interface Job {
  /** How each stream gives back its turn to be sent the message; null: it has none yet. */
  readonly streams: Map<SyncStream, GiveTurn | null>;
  readonly asked: StateWork;
}

/** Gives a turn back, once. */
type GiveTurn = () => void;

interface SyncDeliveryOptions {
  readonly meter: SyncMeter;
  readonly work: () => SyncWork;
  /** The client does not take its message. */
  readonly onSlow: (stream: SyncStream) => void;
}

/** Brings streams what they need: a message that is made once for all of them, or one of their own where it is long. */
export class SyncDelivery {
  readonly #options: SyncDeliveryOptions;
  readonly #jobs = new Map<EnvironmentFeed, Map<string, Job>>();
  readonly #jobOf = new Map<SyncStream, Job>();
  /** How the streams that wait for a turn give it up. */
  readonly #withdrawals = new Map<SyncStream, () => void>();
  readonly #long = new Turns(longTurns);
  readonly #chunked = new Turns(chunkedTurns);

  constructor(options: SyncDeliveryOptions) {
    this.#options = options;
  }

  get #work(): SyncWork {
    return this.#options.work();
  }

  /** Sends a stream more of its message, or begins the one that it needs. */
  serve(stream: SyncStream): void {
    if (stream.isSending) {
      if (stream.run()) this.#work.schedule(stream);
      return;
    }
    const key = stream.need;
    if (key === null) return;
    const found = stream.feed.find(key);
    if (found === null) this.#want(stream, key);
    else if (found === 'long') this.#sendLong(stream);
    else this.#send(stream, found, stream.position);
  }

  /** Has the message made; streams that need the same one meanwhile share it. */
  #want(stream: SyncStream, key: string, give: GiveTurn | null = null): void {
    const { feed } = stream;
    const jobs = this.#jobs.get(feed) ?? new Map<string, Job>();
    this.#jobs.set(feed, jobs);
    stream.isServed = true;
    const job = jobs.get(key) ?? this.#newJob(feed, key, stream.position);
    if (!jobs.has(key)) this.#work.withState(job.asked);
    jobs.set(key, job);
    job.streams.set(stream, give);
    this.#jobOf.set(stream, job);
  }

  #newJob(feed: EnvironmentFeed, key: string, known: SyncPosition | null): Job {
    const made: Made = { message: null };
    const streams: Job['streams'] = new Map();
    const asked: StateWork = {
      feed,
      stream: null,
      *work(state) {
        made.message = yield* feed.make(key, known, state);
      },
      finish: () => {
        const jobs = this.#jobs.get(feed);
        jobs?.delete(key);
        if (jobs?.size === 0) this.#jobs.delete(feed);
        for (const stream of streams.keys()) this.#jobOf.delete(stream);
        this.#work.forEach(streams, streams, ([stream, give]) => {
          stream.isServed = false;
          if (give === null) this.#hand(stream, made.message, known);
          else this.#begin(stream, made.message, known, give);
        });
      },
    };
    return { streams, asked };
  }

  /** The stream is over: it waits for nothing any more, and what nobody else waits for is not made. */
  forget(stream: SyncStream): void {
    this.#withdrawals.get(stream)?.();
    const job = this.#jobOf.get(stream);
    if (job === undefined) return;
    this.#jobOf.delete(stream);
    job.streams.get(stream)?.();
    job.streams.delete(stream);
    if (job.streams.size === 0) this.#work.withdraw(job.asked);
  }

  #hand(stream: SyncStream, message: Made['message'], known: SyncPosition | null): void {
    if (stream.isOver) return;
    if (message === 'long') this.#sendLong(stream);
    else if (message !== null && stream.mayTake(message, known)) this.#send(stream, message, known);
    else this.#work.schedule(stream);
  }

  #send(stream: SyncStream, message: SyncMessage, known: SyncPosition | null): void {
    const { meter } = this.#options;
    if (!stream.mayTake(message, known)) {
      this.#work.schedule(stream);
      return;
    }
    if (message.bytes <= atOnceBytesMax) {
      meter.countEvent(message.event);
      stream.send(message);
      while (stream.run());
      // Something may have changed while the message was made.
      if (stream.need !== null) this.#work.schedule(stream);
      return;
    }
    this.#takeTurn(this.#chunked, stream, (give) => this.#sendInTurn(stream, give));
  }

  /** Sends what the stream needs now that it has a turn: while it waited, it held no message. */
  #sendInTurn(stream: SyncStream, give: GiveTurn): void {
    const { feed, position, need: key } = stream;
    const found = key === null ? 'long' : feed.find(key);
    if (key !== null && found === null) this.#want(stream, key, give);
    else this.#begin(stream, found, position, give);
  }

  /** Begins to send a message that the stream can take; otherwise the turn is given back, and the stream served anew. */
  #begin(stream: SyncStream, message: Made['message'], known: SyncPosition | null, give: GiveTurn): void {
    if (message !== null && message !== 'long' && stream.mayTake(message, known)) {
      this.#options.meter.countEvent(message.event);
      stream.send(message, this.#limited(stream, give));
    } else give();
    this.#work.schedule(stream);
  }

  /** A client that does not take its message in time is cut off. @returns called when it was sent, or never will be */
  #limited(stream: SyncStream, give: GiveTurn): () => void {
    const late = setTimeout(() => this.#options.onSlow(stream), longMsMax).unref();
    return () => {
      clearTimeout(late);
      give();
    };
  }

  /** @param begin is told how to give the turn back, once */
  #takeTurn(turns: Turns, stream: SyncStream, begin: (give: GiveTurn) => void): void {
    stream.isServed = true;
    const holder: TurnHolder = {
      tenant: stream.feed.environment,
      begin: () => {
        this.#withdrawals.delete(stream);
        stream.isServed = false;
        let isGiven = false;
        begin(() => {
          if (isGiven) return;
          isGiven = true;
          turns.give(holder);
        });
      },
    };
    this.#withdrawals.set(stream, () => {
      this.#withdrawals.delete(stream);
      turns.withdraw(holder);
    });
    turns.ask(holder);
  }

  /** Sends a message that is made while it is sent, from a snapshot of its own. */
  #sendLong(stream: SyncStream): void {
    this.#takeTurn(this.#long, stream, (give) => {
      const { feed } = stream;
      const key = stream.need;
      if (key === null) {
        give();
        return;
      }
      stream.isServed = true;
      this.#work.withState({
        feed,
        stream,
        work: (state) => this.#beginLong(stream, key, state, give),
        finish: () => {
          stream.isServed = false;
          if (!stream.isSending) give();
          this.#work.schedule(stream);
        },
      });
    });
  }

  *#beginLong(stream: SyncStream, key: string, state: PinnedState, give: GiveTurn): Generator<string, void> {
    const content = yield* stream.feed.content(key, stream.position, state);
    if (!stream.mayTake(content, stream.position)) {
      content.pieces.return(undefined);
      return;
    }
    state.retain();
    this.#options.meter.countEvent(content.event);
    const end = this.#limited(stream, give);
    stream.sendLong(content, () => {
      state.release();
      end();
    });
  }
}
