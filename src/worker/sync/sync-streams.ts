import { findEnvironment } from '../../domain/project/project.ts';
import { maySyncOn } from '../../domain/sync/sync-guard.ts';
import { isUpToDate, type SyncPosition } from '../../domain/sync/sync-position.ts';
import { tokenStatus } from '../../domain/token/token.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Logger } from '../../observability/logger.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { StreamHolder, StreamRoom } from '../limits/stream-room.ts';
import { BeatCircle, tickMs } from './beat-circle.ts';
import { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import { KeptRoom } from './kept-room.ts';
import type { PinnedState } from './settled-state.ts';
import { censusOf, type SyncCensus } from './sync-census.ts';
import type { SyncedEnvironment } from './sync-content.ts';
import { SyncDelivery } from './sync-delivery.ts';
import type { StreamEnd, SyncMeter } from './sync-meter.ts';
import { SyncStream } from './sync-stream.ts';
import { SyncWork } from './sync-work.ts';

/** Tokens are checked after commits at most this often, and with each beat. */
const checkEveryMs = 1000;
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
  /** Who has the place, which is given back when the stream is over. */
  readonly holder: StreamHolder;
  readonly tokenId: string;
  /** From `Last-Event-ID`; null for none, or one that cannot be read. */
  readonly lastEvent: SyncPosition | null;
}

/**
 * The streams of a worker. One look at the store's version serves all of them, a message is made once for all streams that
 * need it, and everything is written in slices between events.
 */
export class SyncStreams {
  readonly #options: SyncStreamsOptions;
  readonly #feeds = new Map<string, EnvironmentFeed>();
  readonly #byFeed = new Map<EnvironmentFeed, Set<SyncStream>>();
  readonly #streams = new Set<SyncStream>();
  readonly #work: SyncWork;
  readonly #delivery: SyncDelivery;
  readonly #kept = new KeptRoom();
  readonly #beats = new BeatCircle<SyncStream>();
  #ticking: NodeJS.Timeout | null = null;
  #endCommits: () => void = () => undefined;
  #mustCheck = false;
  #checkedAt = 0;
  #isClosed = false;

  constructor(options: SyncStreamsOptions) {
    this.#options = options;
    const { watch, log, meter, onStep } = options;
    this.#delivery = new SyncDelivery({
      meter,
      work: () => this.#work,
      onSlow: (stream) => this.#end(stream, 'slow'),
    });
    this.#work = new SyncWork({
      ...{ watch, log, onStep },
      serve: (stream) => this.#delivery.serve(stream),
      onFailed: (feed) => {
        for (const stream of [...this.#streamsOf(feed)]) if (stream.isServed) stream.cut();
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Opens a stream; it takes its place in the room. The exchange has begun. */
  open({ exchange, environment, holder, tokenId, lastEvent }: OpenedStream): void {
    const feed = this.#feedOf(environment);
    const hooks = {
      onRunnable: (runnable: SyncStream) => this.#work.schedule(runnable),
      onOver: (over: SyncStream) => this.#drop(over, holder),
      countBytes: (bytes: number) => this.#options.meter.countBytes(bytes),
    };
    const stream = new SyncStream({ exchange, feed, tokenId, position: null }, hooks);
    this.#streamsOf(feed).add(stream);
    this.#streams.add(stream);
    this.#options.meter.putStreams(this.#streams.size);
    this.#begin();
    this.#beats.add(stream);
    if (lastEvent === null) this.#work.schedule(stream);
    else this.#resume(stream, lastEvent);
  }

  #feedOf(environment: SyncedEnvironment): EnvironmentFeed {
    const { projectId, environmentNumber, name } = environment;
    const key = `${projectId}/${environmentNumber}/${name ?? ''}`;
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const feed = new EnvironmentFeed(environment, this.#options.watch, this.#kept, {
      onMoved: (moved) =>
        this.#work.forEach(moved, this.#streamsOf(moved), (stream) => this.#work.schedule(stream)),
      onProjectChange: (changed) => this.#checkEnvironment(changed),
    });
    this.#feeds.set(key, feed);
    this.#byFeed.set(feed, new Set());
    return feed;
  }

  #streamsOf(feed: EnvironmentFeed): Set<SyncStream> {
    return this.#byFeed.get(feed) ?? new Set();
  }

  /** Streams of an environment that was renamed or deleted end: their address leads nowhere any more. */
  #checkEnvironment(feed: EnvironmentFeed): void {
    const { projectId, environmentNumber, name } = feed.environment;
    const project = this.#options.reader.queries.project(projectId);
    const isThere =
      name === null
        ? project?.isMultiEnvironment === false
        : project !== undefined && findEnvironment(project, name)?.number === environmentNumber;
    if (!isThere) for (const stream of [...this.#streamsOf(feed)]) this.#end(stream, 'environment');
  }

  /** Finds out what a client missed that was here before. */
  #resume(stream: SyncStream, lastEvent: SyncPosition): void {
    stream.isServed = true;
    this.#work.withState({
      feed: stream.feed,
      stream,
      work: (state) => this.#resuming(stream, lastEvent, state),
      finish: () => {
        stream.isServed = false;
        this.#work.schedule(stream);
      },
    });
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

  #begin(): void {
    if (this.#ticking !== null) return;
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
      this.#work.forEach(this.#streams, this.#streams, this.#checker());
    }
    for (const due of this.#beats.due()) {
      const check = this.#checker();
      this.#work.forEach(due, due, (stream) => this.#beat(stream, check));
    }
  }

  #beat(stream: SyncStream, check: (stream: SyncStream) => void): void {
    check(stream);
    if (stream.isGone) this.#end(stream, 'slow');
    else if (stream.beat(this.#options.watch.number)) this.#options.meter.countEvent('beat');
    this.#work.schedule(stream);
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

  #drop(stream: SyncStream, holder: StreamHolder): void {
    this.#streams.delete(stream);
    this.#work.forget(stream);
    this.#delivery.forget(stream);
    this.#beats.remove(stream);
    const { feed } = stream;
    const streams = this.#streamsOf(feed);
    streams.delete(stream);
    const { projectId, environmentNumber, name } = feed.environment;
    if (streams.size === 0) {
      feed.close();
      this.#byFeed.delete(feed);
      this.#feeds.delete(`${projectId}/${environmentNumber}/${name ?? ''}`);
    }
    this.#options.room.give(holder);
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
    const now = monotonicMs();
    return Array.from(this.#feeds.values(), (feed) => {
      const { history, version, seen } = feed;
      // A position in another history says nothing of this one: a snapshot follows.
      const known = Array.from(this.#streamsOf(feed), ({ position }) =>
        position?.history === history ? position.number : null,
      );
      const { projectId, name } = feed.environment;
      return censusOf({ projectId, name, kind: 'sync', version, seen }, known, now);
    });
  }
}
