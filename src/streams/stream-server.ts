import type { SyncPosition } from '../domain/sync/sync-position.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Logger } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { SyncedEnvironment } from './configuration.ts';
import { type CheckRound, type Encoding, Environment } from './environment.ts';
import { StateMemory } from './state-memory.ts';
import { StepQueue } from './step-queue.ts';
import { type Commit, type PinnedState, StoreWatch, type StoreWatchOptions } from './store-watch.ts';
import {
  type Outlet,
  type Source,
  Stream,
  type StreamEnd,
  type StreamHooks,
  type StreamKind,
} from './stream.ts';
import { censusOf, type StreamCensus } from './stream-census.ts';

export const beatEveryMs = 15_000;
/** The least time between two checks, after commits, of whether streams may go on. */
const checkEveryMs = 1000;
/** How often the server looks for beats that are due and clients that have stalled. */
const tickEveryMs = 250;
/** A longer slice would delay the requests of the same thread. */
const sliceMs = 1;

/** Counts what streams do. */
export interface StreamMeter {
  putOpen(kind: StreamKind, streams: number): void;
  countEvent(kind: StreamKind, name: string): void;
  countBytes(kind: StreamKind, bytes: number): void;
  countEnd(kind: StreamKind, reason: StreamEnd): void;
}

export interface StreamServerOptions extends Omit<StoreWatchOptions, 'onFault'> {
  readonly meter: StreamMeter;
  readonly log: Logger;
  /** Memory for the events of all environments. */
  readonly memoryMax: number;
  /** Whether this node's state is current: a node that is cut off from its cluster ends its streams. */
  isAttached(): boolean;
}

/** A stream that is to be opened. */
export interface StreamRequest {
  readonly kind: StreamKind;
  readonly outlet: Outlet;
  /** Null: the client needs no token. */
  readonly tokenId: string | null;
  /** What the client has from an earlier stream. Null: nothing. */
  readonly known: SyncPosition | null;
  /** The first bytes of the stream. */
  readonly greeting?: Uint8Array;
  /** Called when the newest state is known. */
  source(): Source;
  /** Called once when the stream is over. */
  onOver(): void;
}

/** All streams of a thread. One watch of the store serves all of them. They write round robin. */
export class StreamServer {
  readonly #options: StreamServerOptions;
  readonly #watch: StoreWatch;
  readonly #queue = new StepQueue();
  readonly #memory: StateMemory;
  readonly #checks: CheckRound = { number: 0 };
  /** By project, then by key. */
  readonly #environments = new Map<string, Map<string, Environment>>();
  readonly #streams = new Set<Stream>();
  /** Streams of each kind that are open, or about to be. */
  readonly #open = new Map<StreamKind, number>();
  /** Streams that may have something to write. */
  readonly #ready = new Set<Stream>();
  #isServing = false;
  #ticker: NodeJS.Timeout | null = null;
  #hasCommit = false;
  #checkedAt = 0;
  #isClosed = false;

  constructor(options: StreamServerOptions) {
    this.#options = options;
    this.#memory = new StateMemory(options.memoryMax);
    this.#watch = new StoreWatch({ ...options, onFault: (fault) => this.#fail(fault) }, (commit) =>
      this.#follow(commit),
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @returns the newest state, which the caller must release */
  pin(): PinnedState {
    return this.#watch.pin();
  }

  count(kind: StreamKind): number {
    return this.#open.get(kind) ?? 0;
  }

  open(request: StreamRequest): void {
    const { kind, outlet, onOver } = request;
    this.#count(kind, 1);
    this.#ticker ??= setInterval(() => this.#tick(), tickEveryMs);
    let stream: Stream | null = null;
    let isFinished = false;
    // `onGone` may be called twice when a client goes away before its stream has begun.
    const finish = (): void => {
      if (isFinished) return;
      isFinished = true;
      this.#count(kind, -1);
      onOver();
      if ([...this.#open.values()].every((count) => count === 0)) this.#rest();
    };
    outlet.onGone(() => {
      if (stream === null) finish();
      else stream.finish();
    });
    this.#watch.whenCurrent(() => {
      if (outlet.isOver) return;
      stream = this.#begin(request, finish);
      if (this.#isClosed) stream.end('drain');
    });
  }

  #begin({ outlet, tokenId, known, greeting, source: find }: StreamRequest, finish: () => void): Stream {
    const now = monotonicMs();
    // A random time spreads the beats of streams that were opened together.
    const beatAt = now + Math.random() * beatEveryMs;
    const hooks: StreamHooks = {
      schedule: (one) => this.#schedule(one),
      countEvent: ({ source }, name) => this.#options.meter.countEvent(source.kind, name),
      countBytes: ({ source }, bytes) => this.#options.meter.countBytes(source.kind, bytes),
      onOver: (one) => {
        this.#streams.delete(one);
        this.#ready.delete(one);
        finish();
      },
    };
    const source = find();
    const stream = new Stream(source, outlet, { tokenId, known, beatAt }, hooks);
    if (source instanceof Environment) source.streams.add(stream);
    this.#streams.add(stream);
    stream.mustBeat = known !== null;
    stream.mustCheck = true;
    if (greeting !== undefined) stream.write(greeting, now);
    this.#schedule(stream);
    return stream;
  }

  #count(kind: StreamKind, change: number): void {
    this.#open.set(kind, this.count(kind) + change);
    this.#options.meter.putOpen(kind, this.count(kind));
  }

  /** @returns the state of an environment for all streams of a protocol */
  environment(place: SyncedEnvironment, encoding: Encoding): Environment {
    const { projectId, environmentNumber, name } = place;
    const key = `${encoding.kind}/${environmentNumber}/${name ?? ''}`;
    const ofProject = this.#environments.get(projectId) ?? new Map<string, Environment>();
    this.#environments.set(projectId, ofProject);
    const known = ofProject.get(key);
    if (known !== undefined) return known;
    const environment = new Environment(key, place, encoding, {
      watch: this.#watch,
      queue: this.#queue,
      memory: this.#memory,
      checks: this.#checks,
      schedule: (stream) => this.#schedule(stream),
      end: (stream, reason) => this.#end(stream, reason),
      onFault: (fault) => this.#fail(fault),
      onEmpty: () => {
        ofProject.delete(key);
        if (ofProject.size === 0) this.#environments.delete(projectId);
      },
    });
    ofProject.set(key, environment);
    return environment;
  }

  #follow({ state, changes }: Commit): void {
    this.#hasCommit = true;
    const isAll = changes === null || changes.some(({ kind }) => kind === 'everything');
    const projects = isAll ? this.#environments.keys() : new Set(changes.map(({ projectId }) => projectId));
    for (const projectId of projects) {
      const environments = this.#environments.get(projectId)?.values() ?? [];
      const own = isAll ? null : changes.filter((change) => change.projectId === projectId);
      for (const environment of environments) environment.follow(state, own);
    }
  }

  #tick(): void {
    const now = monotonicMs();
    if (!this.#options.isAttached()) {
      for (const stream of [...this.#streams]) this.#end(stream, 'detached');
      return;
    }
    this.#checks.number += 1;
    const mustCheck = this.#hasCommit && now - this.#checkedAt >= checkEveryMs;
    if (mustCheck) {
      this.#hasCommit = false;
      this.#checkedAt = now;
    }
    for (const stream of [...this.#streams]) this.#look(stream, mustCheck, now);
  }

  #look(stream: Stream, mustCheck: boolean, now: number): void {
    const { blockedSince, source } = stream;
    if (blockedSince !== null && now - blockedSince > source.stallMs) {
      this.#end(stream, 'slow');
      return;
    }
    const isBeatDue = now >= stream.beatAt;
    if (isBeatDue) stream.beatAt = now + beatEveryMs;
    stream.mustBeat ||= isBeatDue && !stream.isBusy;
    stream.mustCheck ||= isBeatDue || mustCheck;
    if (stream.mustCheck || stream.mustBeat || stream.isHeldBack) this.#schedule(stream);
  }

  #schedule(stream: Stream): void {
    if (stream.isOver) return;
    this.#ready.add(stream);
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => this.#serveReady());
  }

  #serveReady(): void {
    const until = monotonicMs() + sliceMs;
    for (const stream of this.#ready) {
      this.#ready.delete(stream);
      try {
        this.#serve(stream);
      } catch (fault) {
        this.#fail(fault);
        this.#end(stream, 'fault');
      }
      if (monotonicMs() >= until) break;
    }
    this.#isServing = this.#ready.size > 0;
    if (this.#isServing) setImmediate(() => this.#serveReady());
  }

  #serve(stream: Stream): void {
    if (stream.mustCheck) {
      stream.mustCheck = false;
      const reason = stream.source.check(stream);
      if (reason !== null) {
        this.#end(stream, reason);
        return;
      }
    }
    const now = monotonicMs();
    if (stream.run(now)) this.#schedule(stream);
    else if (stream.mustBeat && !stream.isBusy && !stream.isWaiting) this.#beat(stream, now);
  }

  #beat(stream: Stream, now: number): void {
    stream.mustBeat = false;
    const bytes = stream.source.beat(stream);
    if (bytes === null) return;
    this.#options.meter.countEvent(stream.source.kind, 'beat');
    stream.write(bytes, now);
  }

  #end(stream: Stream, reason: StreamEnd): void {
    if (stream.isOver) return;
    const { source, tokenId } = stream;
    this.#options.meter.countEnd(source.kind, reason);
    if (reason !== 'drain' && reason !== 'detached') {
      this.#options.log.info({ kind: source.kind, tokenId, reason }, 'a stream was ended');
    }
    stream.end(reason);
  }

  #fail(fault: unknown): void {
    this.#options.log.error({ err: fault }, 'a stream failed');
  }

  /** Ends every stream: the service stops, or this thread leaves. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) this.#end(stream, 'drain');
    this.#queue.close();
  }

  #rest(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#ticker = null;
    this.#watch.stop();
  }

  /** The clients of each environment, for the members of its project. */
  census(): readonly StreamCensus[] {
    const now = monotonicMs();
    return [...this.#environments.values()]
      .flatMap((environments) => [...environments.values()])
      .flatMap((environment) => censusOf(environment, now) ?? []);
  }
}

/** The connection of a client over HTTP. Its answer has begun. */
export class HttpOutlet implements Outlet {
  /** The most unsent bytes of one stream whose client does not read. */
  readonly chunkBytes = 16 * 1024;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get isOver(): boolean {
    return this.#exchange.isOver;
  }

  write(bytes: Uint8Array): boolean {
    return this.#exchange.write(bytes);
  }

  onTaken(listener: () => void): void {
    this.#exchange.onWritable(listener);
  }

  onGone(listener: () => void): void {
    this.#exchange.onAborted(listener);
  }

  end(_reason: StreamEnd, farewell: Uint8Array | null): void {
    if (farewell !== null) this.#exchange.write(farewell);
    this.#exchange.end();
  }

  cut(): void {
    this.#exchange.cut();
  }
}
