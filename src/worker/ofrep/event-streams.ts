import type { Project } from '../../domain/project/project.ts';
import type { Exchange } from '../../http/exchange.ts';
import { ofrepEventHeaders } from '../../operations/answer-headers.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { StreamHolder, StreamRoom } from '../limits/stream-room.ts';
import type { EnvironmentWatch, WatchedFrom } from '../sync/environment-watch.ts';
import type { SyncMeter } from '../sync/sync-meter.ts';

export interface EventStreamsOptions {
  readonly watch: EnvironmentWatch;
  readonly room: StreamRoom;
  readonly meter: SyncMeter;
  /** @returns the project as of now */
  findProject(projectId: string): Project | undefined;
  /** @returns whose share the project takes */
  accountOf(project: Project): string;
}

/** A browser that asks for the events of an environment. */
export interface FollowingBrowser {
  readonly exchange: Exchange;
  readonly project: Project;
  /** `soleEnvironment` in a single-environment project. */
  readonly environmentNumber: number;
  /** The value of `Last-Event-ID`; empty: it has seen no event. */
  readonly lastEventId: string;
  /** The `limitKey` of its address. */
  readonly limitKey: string;
}

/** Browsers of one environment are told of changes at most this often: each event makes each of them ask for all flags. */
const tellEveryMs = 1000;
const beatEveryMs = 15_000;
/** A browser that takes nothing for so long is cut off: it may be gone without a word. */
const unreadMsMax = 30_000;
/** Streams that are written to in a turn of the event loop: some tenths of a millisecond. */
const streamsOfTurn = 64;
/** Browsers that lose their streams at the same time come back within this time, at random. */
const retryMsMin = 1000;
const retryMsMax = 8000;
const encoder = new TextEncoder();
/** A comment: it keeps proxies from closing an idle connection. */
const beat = encoder.encode(':\n\n');

/** The tag of a configuration: it changes with each change that may concern the environment. */
function tagOf(history: string, version: number): string {
  return `${history}.${version}`;
}

/**
 * The event streams of a worker's browsers: each is told that the configuration of its environment has changed, never
 * what. The worker decides once for all streams of an environment whether something changed there.
 */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #groups = new Map<string, Group>();
  #beating: NodeJS.Timeout | null = null;
  #open = 0;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /** @returns the tag of the present configuration */
  tagOf({ id }: Project, environmentNumber: number): string {
    const state = this.#options.watch.pin();
    try {
      return tagOf(state.history, state.snapshot.sync.versionOf(id, environmentNumber));
    } finally {
      state.release();
    }
  }

  /** Opens a stream. @returns false: the browser found no place, or the service stops; nothing was answered */
  open({ exchange, project, environmentNumber, lastEventId, limitKey }: FollowingBrowser): boolean {
    const accountId = this.#options.accountOf(project);
    const holder = { projectId: project.id, accountId, browser: limitKey };
    if (this.#isClosed || !this.#takePlace(holder)) return false;
    exchange.begin(200, ofrepEventHeaders);
    const group = this.#groupOf(project.id, environmentNumber);
    const stream = new Stream(exchange, lastEventId, () => {
      this.#givePlace(holder);
      group.leave(stream);
      if (group.streams.size === 0) this.#drop(group);
    });
    group.join(stream);
    this.#beating ??= setInterval(() => this.#beat(), beatEveryMs);
    return true;
  }

  /** Ends every stream: browsers come back to the process that serves then. */
  close(): void {
    this.#isClosed = true;
    for (const group of [...this.#groups.values()]) for (const stream of [...group.streams]) stream.end();
  }

  #takePlace(holder: StreamHolder): boolean {
    const { room, meter } = this.#options;
    const refused = room.take(holder);
    if (refused !== null) {
      meter.countRefused(refused);
      return false;
    }
    this.#open += 1;
    meter.putBrowserStreams(this.#open);
    return true;
  }

  #givePlace(holder: StreamHolder): void {
    this.#options.room.give(holder);
    this.#open -= 1;
    this.#options.meter.putBrowserStreams(this.#open);
  }

  #groupOf(projectId: string, environmentNumber: number): Group {
    const key = `${projectId} ${environmentNumber}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = new Group(key, { projectId, environmentNumber }, this.#options);
    this.#groups.set(key, group);
    return group;
  }

  #drop(group: Group): void {
    group.close();
    this.#groups.delete(group.key);
    if (this.#groups.size > 0 || this.#beating === null) return;
    clearInterval(this.#beating);
    this.#beating = null;
  }

  #beat(): void {
    const streams = [...this.#groups.values()].flatMap((group) => [...group.streams]);
    inTurns(streams, (stream) => stream.beat());
  }
}

/** Does something for each stream, some of them in a turn of the event loop. */
function inTurns(streams: readonly Stream[], run: (stream: Stream) => void, start = 0): void {
  for (const stream of streams.slice(start, start + streamsOfTurn)) run(stream);
  if (start + streamsOfTurn < streams.length) {
    setImmediate(() => inTurns(streams, run, start + streamsOfTurn));
  }
}

interface GroupPlace {
  readonly projectId: string;
  readonly environmentNumber: number;
}

/** The streams of one environment. */
class Group {
  readonly key: string;
  readonly streams = new Set<Stream>();
  readonly #options: EventStreamsOptions;
  readonly #place: GroupPlace;
  /** The name by which streams were opened; null in a single-environment project. */
  readonly #name: string | null;
  readonly #watched: WatchedFrom;
  /** Empty until the state is on disk from which the environment is watched: no event may name what could be undone. */
  #tag = '';
  #event: Uint8Array = beat;
  #toldAt = Number.NEGATIVE_INFINITY;
  #telling: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(key: string, place: GroupPlace, options: EventStreamsOptions) {
    this.key = key;
    this.#place = place;
    this.#options = options;
    this.#name = this.#presentName() ?? null;
    this.#watched = options.watch.watch(place.projectId, place.environmentNumber, {
      onChange: ({ state, version }) => this.#note(tagOf(state.history, version)),
      onProjectChange: () => this.#check(),
    });
    const state = options.watch.pin();
    const version = state.snapshot.sync.versionOf(place.projectId, place.environmentNumber);
    const tag = tagOf(state.history, version);
    state.whenSettled(() => {
      state.release();
      if (this.#tag === '' && !this.#isClosed) this.#note(tag);
    });
  }

  /** The stream is told at once, unless it has seen the newest event. */
  join(stream: Stream): void {
    this.streams.add(stream);
    stream.greet();
    if (this.#tag !== '') stream.tell(this.#tag, this.#event);
  }

  leave(stream: Stream): void {
    this.streams.delete(stream);
  }

  close(): void {
    this.#isClosed = true;
    this.#watched.end();
    if (this.#telling !== null) clearTimeout(this.#telling);
  }

  #note(tag: string): void {
    this.#tag = tag;
    const lastModified = Math.floor(Date.now() / 1000);
    const data = JSON.stringify({ type: 'refetchEvaluation', etag: tag, lastModified });
    this.#event = encoder.encode(`id: ${tag}\ndata: ${data}\n\n`);
    const waitMs = this.#toldAt + tellEveryMs - monotonicMs();
    if (waitMs <= 0) this.#tell();
    else this.#telling ??= setTimeout(() => this.#tell(), waitMs);
  }

  #tell(): void {
    this.#telling = null;
    this.#toldAt = monotonicMs();
    inTurns([...this.streams], (stream) => stream.tell(this.#tag, this.#event));
  }

  /** Streams end when the Evaluation API was switched off, or their address leads nowhere any more. */
  #check(): void {
    const project = this.#options.findProject(this.#place.projectId);
    const isThere = project?.evaluationAccess === true && this.#presentName() === this.#name;
    if (!isThere) inTurns([...this.streams], (stream) => stream.end());
  }

  /** @returns null in a single-environment project; undefined: the project or the environment is gone */
  #presentName(): string | null | undefined {
    const project = this.#options.findProject(this.#place.projectId);
    if (project === undefined) return undefined;
    if (!project.isMultiEnvironment) return null;
    return project.environments.find(({ number }) => number === this.#place.environmentNumber)?.name;
  }
}

/** One open stream. Nothing is queued for a browser that reads slowly: when it has caught up, it gets the newest event. */
class Stream {
  readonly #exchange: Exchange;
  readonly #leave: () => void;
  /** Of the last event that was written. */
  #tag: string;
  #newest: { readonly tag: string; readonly event: Uint8Array } | null = null;
  #behindSince: number | null = null;
  #isOver = false;

  /** The exchange has begun. @param onOver called once */
  constructor(exchange: Exchange, lastEventId: string, onOver: () => void) {
    this.#exchange = exchange;
    this.#tag = lastEventId;
    this.#leave = onOver;
    exchange.onAborted(() => this.#finish());
    exchange.onWritable(() => {
      this.#behindSince = null;
      if (this.#newest !== null) this.tell(this.#newest.tag, this.#newest.event);
    });
  }

  /** The head is not sent before the first bytes. */
  greet(): void {
    const retryMs = retryMsMin + Math.floor(Math.random() * (retryMsMax - retryMsMin));
    this.#write(encoder.encode(`retry: ${retryMs}\n\n`));
  }

  tell(tag: string, event: Uint8Array): void {
    if (this.#isOver || this.#tag === tag) return;
    if (this.#behindSince !== null) {
      this.#newest = { tag, event };
      return;
    }
    this.#newest = null;
    this.#tag = tag;
    this.#write(event);
  }

  beat(): void {
    if (this.#isOver) return;
    if (this.#behindSince === null) this.#write(beat);
    else if (monotonicMs() - this.#behindSince > unreadMsMax) this.end();
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#behindSince === null) this.#exchange.end();
    else this.#exchange.cut();
    this.#finish();
  }

  #write(bytes: Uint8Array): void {
    if (!this.#exchange.write(bytes)) this.#behindSince ??= monotonicMs();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
  }
}
