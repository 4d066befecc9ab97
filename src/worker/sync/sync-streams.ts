import { findEnvironment } from '../../domain/project/project.ts';
import { maySyncOn } from '../../domain/sync/sync-guard.ts';
import { isUpToDate, type SyncPosition } from '../../domain/sync/sync-position.ts';
import { tokenStatus } from '../../domain/token/token.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Logger } from '../../observability/logger.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { BetweenEvents } from '../between-events.ts';
import type { StreamRoom } from '../limits/stream-room.ts';
import { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import type { PinnedState } from './settled-state.ts';
import type { SyncCensus } from './sync-census.ts';
import type { SyncedEnvironment } from './sync-content.ts';
import { atOnceBytesMax, type SyncMessage } from './sync-events.ts';
import type { StreamEnd, SyncMeter } from './sync-meter.ts';
import { SyncStream } from './sync-stream.ts';
import { Turns } from './turns.ts';

export const beatEveryMs = 15_000;
/** How often streams are looked at whose beats are due. */
const tickMs = 50;
/** Tokens are checked after commits at most this often, and with each beat. */
const checkEveryMs = 1000;
/** Streams that are sent a long message at once by one worker. Such a message is made from a snapshot while it is sent. */
const longTurns = 8;
/** Streams that are sent a kept message of several chunks at once by one worker. */
const chunkedTurns = 64;
/** A client that does not take a long message within this time is cut off: its snapshot keeps the file growing. */
const longMsMax = 30_000;
/** When a service drains, its clients come back within this time, at random. */
const goodbye = { leastMs: 1000, mostMs: 10_000 };

export interface SyncStreamsOptions {
  readonly watch: EnvironmentWatch;
  readonly reader: StoreReader;
  readonly room: StreamRoom;
  readonly meter: SyncMeter;
  readonly log: Logger;
  /** Whether what is stored here is current: a node that is cut off from its cluster ends its streams. */
  readonly isAttached: () => boolean;
  readonly onStep: (ms: number) => void;
}

/** A stream that is to be opened: its place is taken, and its exchange has begun. */
export interface OpenedStream {
  readonly exchange: Exchange;
  readonly environment: SyncedEnvironment;
  readonly tokenId: string;
  /** From `Last-Event-ID`; null for none, or one that cannot be read. */
  readonly lastEvent: SyncPosition | null;
}

/** A message that is being made for streams that wait for it. */
interface Job {
  readonly feed: EnvironmentFeed;
  readonly key: string;
  /** What the least informed of the streams knows. */
  known: SyncPosition | null;
  readonly streams: SyncStream[];
}

/** A step of work between events. @returns whether there is more to do */
type Task = () => boolean;

/**
 * The streams of a worker. One look at the store's version serves all of them, a message is made once for all streams that
 * need it, and everything is written in slices between events.
 */
export class SyncStreams {
  readonly #options: SyncStreamsOptions;
  readonly #feeds = new Map<string, EnvironmentFeed>();
  readonly #streams = new Set<SyncStream>();
  readonly #jobs = new Map<string, Job>();
  readonly #tasks: Task[] = [];
  readonly #runnable = new Set<SyncStream>();
  readonly #between: BetweenEvents;
  readonly #long = new Turns(longTurns);
  readonly #chunked = new Turns(chunkedTurns);
  /** Streams by the moment of their beats, in a circle of ticks. */
  readonly #beats: Set<SyncStream>[] = Array.from({ length: beatEveryMs / tickMs }, () => new Set());
  readonly #beatOf = new Map<SyncStream, Set<SyncStream>>();
  #beatAt = 0;
  #beatenAt = 0;
  #ticking: NodeJS.Timeout | null = null;
  #endCommits: () => void = () => undefined;
  #mustCheck = false;
  #checkedAt = 0;
  #isClosed = false;

  constructor(options: SyncStreamsOptions) {
    this.#options = options;
    this.#between = new BetweenEvents((budgetMs) => this.#run(budgetMs), options.onStep);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Opens a stream; it takes its place in the room. The exchange has begun. */
  open({ exchange, environment, tokenId, lastEvent }: OpenedStream): void {
    const feed = this.#feedOf(environment);
    const hooks = {
      onRunnable: (runnable: SyncStream) => this.#schedule(runnable),
      onOver: (over: SyncStream) => this.#drop(over),
      countBytes: (bytes: number) => this.#options.meter.countBytes(bytes),
    };
    const stream = new SyncStream({ exchange, feed, tokenId, position: null }, hooks);
    feed.streams.add(stream);
    this.#streams.add(stream);
    this.#options.meter.putStreams(this.#streams.size);
    this.#begin();
    this.#addBeat(stream);
    if (lastEvent === null) this.#schedule(stream);
    else this.#resume(stream, lastEvent);
  }

  #feedOf(environment: SyncedEnvironment): EnvironmentFeed {
    const { projectId, environmentNumber, name } = environment;
    const key = `${projectId}/${environmentNumber}/${name ?? ''}`;
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const feed = new EnvironmentFeed(environment, this.#options.watch, {
      onMoved: (moved) => this.#addTask(scheduling(moved.streams, (stream) => this.#schedule(stream))),
      onProjectChange: (changed) => this.#checkEnvironment(changed),
    });
    this.#feeds.set(key, feed);
    return feed;
  }

  /** Streams of an environment that was renamed or deleted end: their address leads nowhere any more. */
  #checkEnvironment(feed: EnvironmentFeed): void {
    const { projectId, environmentNumber, name } = feed.environment;
    const project = this.#options.reader.queries.project(projectId);
    const isThere =
      name === null
        ? project?.isMultiEnvironment === false
        : project !== undefined && findEnvironment(project, name)?.number === environmentNumber;
    if (!isThere) for (const stream of [...feed.streams]) this.#end(stream, 'environment');
  }

  /** Finds out what a client missed that was here before. */
  #resume(stream: SyncStream, lastEvent: SyncPosition): void {
    stream.isServed = true;
    this.#withState(
      stream.feed,
      (state) => this.#resuming(stream, lastEvent, state),
      () => {
        stream.isServed = false;
        this.#schedule(stream);
      },
    );
  }

  *#resuming(stream: SyncStream, lastEvent: SyncPosition, state: PinnedState): Generator<string, void> {
    const { feed } = stream;
    const { projectId, environmentNumber } = feed.environment;
    const { history, number } = state;
    const version = state.snapshot.sync.versionOf(projectId, environmentNumber);
    if (lastEvent.history !== history || history !== feed.history || lastEvent.number > number) return;
    const isNothingNew = isUpToDate(lastEvent, { history, number }, version);
    if (isNothingNew || (yield* feed.search(state, lastEvent))) stream.position = lastEvent;
    if (!isNothingNew) return;
    if (stream.beat(number)) this.#options.meter.countEvent('beat');
  }

  #schedule(stream: SyncStream): void {
    if (stream.isOver) return;
    this.#runnable.add(stream);
    this.#between.schedule();
  }

  #addTask(task: Task): void {
    this.#tasks.push(task);
    this.#between.schedule();
  }

  /**
   * Runs work on a settled state, in slices.
   * @param finish called when it is done, also when it has failed
   */
  #withState(
    feed: EnvironmentFeed,
    work: (state: PinnedState) => Generator<string, unknown>,
    finish: () => void,
  ): void {
    const state = this.#options.watch.pin();
    state.whenSettled(() => {
      if (feed.isAheadOf(state)) {
        state.release();
        this.#withState(feed, work, finish);
        return;
      }
      const steps = work(state);
      const end = (): false => {
        state.release();
        finish();
        return false;
      };
      this.#addTask(() => {
        try {
          return steps.next().done === true ? end() : true;
        } catch (fault) {
          this.#fail(fault);
          for (const stream of [...feed.streams]) if (stream.isServed) stream.cut();
          return end();
        }
      });
    });
  }

  #fail(fault: unknown): void {
    this.#options.log.error({ err: fault }, 'a message of sync could not be made');
  }

  /** Does work for so long. @returns whether there is more */
  #run(budgetMs: number): boolean {
    const until = monotonicMs() + budgetMs;
    do {
      const task = this.#tasks[0];
      if (task !== undefined) {
        if (!this.#runTask(task)) this.#tasks.shift();
      } else if (!this.#runNext()) return false;
    } while (monotonicMs() < until);
    return this.#tasks.length > 0 || this.#runnable.size > 0;
  }

  #runTask(task: Task): boolean {
    try {
      return task();
    } catch (fault) {
      this.#fail(fault);
      return false;
    }
  }

  /** Serves the stream that has waited longest. @returns whether there was one */
  #runNext(): boolean {
    for (const stream of this.#runnable) {
      this.#runnable.delete(stream);
      try {
        this.#serve(stream);
      } catch (fault) {
        this.#fail(fault);
      }
      return true;
    }
    return false;
  }

  #serve(stream: SyncStream): void {
    if (stream.isSending) {
      if (stream.run()) this.#schedule(stream);
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
  #want(stream: SyncStream, key: string): void {
    const { feed } = stream;
    const { projectId, environmentNumber, name } = feed.environment;
    const jobKey = `${projectId}/${environmentNumber}/${name ?? ''} ${key}`;
    stream.isServed = true;
    const waiting = this.#jobs.get(jobKey);
    if (waiting !== undefined) {
      waiting.streams.push(stream);
      return;
    }
    const job: Job = { feed, key, known: stream.position, streams: [stream] };
    this.#jobs.set(jobKey, job);
    const made: { message: SyncMessage | 'long' | null } = { message: null };
    this.#withState(
      feed,
      function* make(state) {
        made.message = yield* feed.make(key, job.known, state);
      },
      () => {
        this.#jobs.delete(jobKey);
        this.#addTask(scheduling(job.streams, (one) => this.#hand(one, made.message, job.known)));
      },
    );
  }

  #hand(stream: SyncStream, message: SyncMessage | 'long' | null, known: SyncPosition | null): void {
    stream.isServed = false;
    if (stream.isOver) return;
    if (message === 'long') this.#sendLong(stream);
    else if (message !== null && stream.mayTake(message, known)) this.#send(stream, message, known);
    else this.#schedule(stream);
  }

  #send(stream: SyncStream, message: SyncMessage, known: SyncPosition | null): void {
    if (!stream.mayTake(message, known)) return this.#schedule(stream);
    const { meter } = this.#options;
    if (message.bytes <= atOnceBytesMax) {
      meter.countEvent(message.event);
      stream.send(message);
      this.#schedule(stream);
      return;
    }
    this.#takeTurn(this.#chunked, stream, (give) => {
      if (!stream.mayTake(message, known)) {
        give();
        return this.#schedule(stream);
      }
      meter.countEvent(message.event);
      stream.send(message, give);
      this.#schedule(stream);
    });
  }

  /** @param begin is told how to give the turn back, once */
  #takeTurn(turns: Turns, stream: SyncStream, begin: (give: () => void) => void): void {
    const { projectId } = stream.feed.environment;
    stream.isServed = true;
    turns.take(projectId, () => {
      stream.isServed = false;
      let isGiven = false;
      const late = setTimeout(() => this.#end(stream, 'slow'), longMsMax).unref();
      const give = (): void => {
        if (isGiven) return;
        isGiven = true;
        clearTimeout(late);
        turns.give(projectId);
      };
      if (stream.isOver) give();
      else begin(give);
    });
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
      this.#withState(
        feed,
        (state) => this.#beginLong(stream, key, state, give),
        () => {
          stream.isServed = false;
          if (!stream.isSending) give();
          this.#schedule(stream);
        },
      );
    });
  }

  *#beginLong(
    stream: SyncStream,
    key: string,
    state: PinnedState,
    give: () => void,
  ): Generator<string, void> {
    const content = yield* stream.feed.content(key, stream.position, state);
    if (!stream.mayTake(content, stream.position)) {
      content.pieces.return(undefined);
      return;
    }
    state.retain();
    this.#options.meter.countEvent(content.event);
    stream.sendLong(content, () => {
      state.release();
      give();
    });
  }

  #begin(): void {
    if (this.#ticking !== null) return;
    this.#beatenAt = monotonicMs();
    this.#ticking = setInterval(() => this.#tick(), tickMs);
    this.#endCommits = this.#options.watch.onCommit(() => {
      this.#mustCheck = true;
    });
  }

  #rest(): void {
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = null;
    this.#endCommits();
  }

  #tick(): void {
    const now = monotonicMs();
    if (!this.#options.isAttached()) {
      for (const stream of [...this.#streams]) this.#sayGoodbye(stream, 'detached');
      return;
    }
    if (this.#mustCheck && now - this.#checkedAt >= checkEveryMs) {
      this.#mustCheck = false;
      this.#checkedAt = now;
      this.#addTask(scheduling(this.#streams, this.#checker()));
    }
    for (; now - this.#beatenAt >= tickMs; this.#beatenAt += tickMs) {
      const due = this.#beats[this.#beatAt] as Set<SyncStream>;
      this.#beatAt = (this.#beatAt + 1) % this.#beats.length;
      const check = this.#checker();
      if (due.size > 0) this.#addTask(scheduling(due, (stream) => this.#beat(stream, check)));
    }
  }

  #beat(stream: SyncStream, check: (stream: SyncStream) => void): void {
    check(stream);
    if (stream.isGone) this.#end(stream, 'slow');
    else if (stream.beat(this.#options.watch.number)) this.#options.meter.countEvent('beat');
    this.#schedule(stream);
  }

  /** @returns ends a stream whose token does not permit it any more; a token is read once for all its streams */
  #checker(): (stream: SyncStream) => void {
    const known = new Map<string, ReturnType<StoreReader['queries']['token']>>();
    const isActive = (token: Parameters<typeof tokenStatus>[0]): boolean =>
      tokenStatus(token, Date.now()) === 'active';
    return (stream) => {
      if (!known.has(stream.tokenId)) {
        known.set(stream.tokenId, this.#options.reader.queries.token(stream.tokenId));
      }
      const { name } = stream.feed.environment;
      if (!maySyncOn(known.get(stream.tokenId), isActive, name)) this.#end(stream, 'token');
    };
  }

  /** Each stream at a moment of its own: many that were opened at once do not beat at once. */
  #addBeat(stream: SyncStream): void {
    const slot = this.#beats[Math.floor(Math.random() * this.#beats.length)] as Set<SyncStream>;
    slot.add(stream);
    this.#beatOf.set(stream, slot);
  }

  #end(stream: SyncStream, why: StreamEnd): void {
    if (stream.isOver) return;
    this.#options.meter.countEnd(why);
    const { feed, tokenId } = stream;
    const { projectId, name: environment } = feed.environment;
    this.#options.log.info({ tokenId, projectId, environment, why }, 'a stream of sync was ended');
    if (why === 'slow') stream.cut();
    else stream.end();
  }

  #sayGoodbye(stream: SyncStream, why: StreamEnd): void {
    if (stream.isOver) return;
    const { leastMs, mostMs } = goodbye;
    this.#options.meter.countEnd(why);
    this.#options.meter.countEvent('goodbye');
    stream.sayGoodbye(Math.round(leastMs + Math.random() * (mostMs - leastMs)));
  }

  #drop(stream: SyncStream): void {
    this.#streams.delete(stream);
    this.#runnable.delete(stream);
    this.#beatOf.get(stream)?.delete(stream);
    this.#beatOf.delete(stream);
    const { feed } = stream;
    feed.streams.delete(stream);
    const { projectId, environmentNumber, name } = feed.environment;
    if (feed.streams.size === 0) {
      feed.close();
      this.#feeds.delete(`${projectId}/${environmentNumber}/${name ?? ''}`);
    }
    this.#options.room.give(projectId);
    this.#options.meter.putStreams(this.#streams.size);
    if (this.#streams.size === 0) this.#rest();
  }

  /** Ends every stream: the service stops, or this worker leaves. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) this.#sayGoodbye(stream, 'drain');
  }

  /** Who is connected, for the people of each project. */
  census(): readonly SyncCensus[] {
    return Array.from(this.#feeds.values(), (feed) => {
      const counts = new Map<number, number>();
      for (const { position } of feed.streams) {
        const known = position === null || position.history !== feed.history ? 0 : position.number;
        // A client that knows the last change of its environment is up to date, whatever came after it elsewhere.
        const number = Math.min(known, feed.version);
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
      const versions = [...counts].sort(([one], [other]) => other - one);
      const { projectId, name: environment } = feed.environment;
      return { projectId, environment, history: feed.history, version: feed.version, versions };
    });
  }
}

/** A task that does something for each stream, one in a step. */
function scheduling(streams: Iterable<SyncStream>, run: (stream: SyncStream) => void): Task {
  const left = [...streams][Symbol.iterator]();
  return () => {
    const next = left.next();
    if (next.done === true) return false;
    run(next.value);
    return true;
  };
}
