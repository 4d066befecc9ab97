import type { SyncPosition } from '../domain/sync/sync-position.ts';
import type { ChangeLogEntry } from '../storage/tables/change-log.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { Changes } from './changes.ts';
import type { SyncedEnvironment } from './configuration.ts';
import type { MemoryUser, StateMemory } from './state-memory.ts';
import type { StepQueue } from './step-queue.ts';
import type { PinnedState, StoreWatch } from './store-watch.ts';
import type { Source, Stream, StreamEnd, StreamEvent, StreamKind } from './stream.ts';

/** How a protocol encodes the changes of an environment. */
export interface Encoding {
  readonly kind: StreamKind;
  readonly eventEveryMs: number;
  readonly stallMs: number;
  /** Whether its events say what changed since the client's version. */
  readonly hasDeltas: boolean;
  /** @returns the name of the event that a client needs: clients with the same need share it; null: it needs none */
  need(environment: Environment, known: SyncPosition | null): string | null;
  /**
   * Makes the event, in steps if it is long.
   * @param known of one of the clients that need it
   * @param state the newest one; the environment may move on after the first step
   */
  make(
    environment: Environment,
    need: string,
    known: SyncPosition | null,
    state: PinnedState,
  ): Making | StreamEvent;
  beat(environment: Environment, stream: Stream): Uint8Array | null;
  check(environment: Environment, stream: Stream): StreamEnd | null;
  farewell(stream: Stream, reason: StreamEnd): Uint8Array | null;
}

/** @returns the event; or, if it cannot be made, why the streams that need it end */
export type Making = Generator<unknown, StreamEvent | StreamEnd>;

/** Number of the current round of checks. Within a round, streams with the same token are checked once. */
export interface CheckRound {
  number: number;
}

interface PendingEvent {
  /** What the client of the first waiting stream has. */
  readonly known: SyncPosition | null;
  /** Streams that wait for it. */
  readonly streams: Set<Stream>;
}

/** The parts of the stream server that environments use. */
export interface EnvironmentHost {
  readonly watch: StoreWatch;
  readonly queue: StepQueue;
  readonly memory: StateMemory;
  readonly checks: CheckRound;
  schedule(stream: Stream): void;
  end(stream: Stream, reason: StreamEnd): void;
  onFault(fault: unknown): void;
  /** The environment has no streams any more. */
  onEmpty(environment: Environment): void;
}

/** The state of an environment, and the streams of one protocol that follow it. An event is made on demand, once for all of them. */
export class Environment implements Source, MemoryUser {
  readonly key: string;
  readonly place: SyncedEnvironment;
  readonly streams = new Set<Stream>();
  /** Null where the protocol sends no deltas. */
  readonly changes: Changes | null;
  history: string;
  /** The number of its last change. */
  version: number;
  readonly #encoding: Encoding;
  readonly #host: EnvironmentHost;
  /** Events of the present version, by need. */
  readonly #kept = new Map<string, StreamEvent>();
  /** All events in memory, oldest first, each with its need. */
  readonly #events = new Map<StreamEvent, string>();
  /** Events that streams wait for, by need. They are made one at a time, so that other environments get their events too. */
  readonly #pending = new Map<string, PendingEvent>();
  #isMaking = false;
  /** By token: why its streams must end; null: they may go on. */
  readonly #checked = new Map<string | null, StreamEnd | null>();
  #checkedRound = 0;

  constructor(key: string, place: SyncedEnvironment, encoding: Encoding, host: EnvironmentHost) {
    this.key = key;
    this.place = place;
    this.#encoding = encoding;
    this.#host = host;
    const { state } = host.watch;
    this.history = state.history;
    this.version = this.#versionIn(state);
    this.changes = encoding.hasDeltas ? new Changes(place, host.watch) : null;
  }

  get kind(): StreamKind {
    return this.#encoding.kind;
  }

  get eventEveryMs(): number {
    return this.#encoding.eventEveryMs;
  }

  get stallMs(): number {
    return this.#encoding.stallMs;
  }

  get watch(): StoreWatch {
    return this.#host.watch;
  }

  #versionIn({ snapshot }: PinnedState): number {
    return snapshot.sync.versionOf(this.place.projectId, this.place.environmentNumber);
  }

  /** @param changes of the project, oldest first; null: anything may have changed */
  follow(state: PinnedState, changes: readonly ChangeLogEntry[] | null): void {
    const mustCheck = changes === null || changes.some(({ id }) => id === this.place.projectId);
    const version = this.#versionIn(state);
    const hasMoved = state.history !== this.history || version !== this.version;
    if (hasMoved) this.#move(state, version, changes);
    if (!hasMoved && !mustCheck) return;
    if (mustCheck) this.#checked.clear();
    const now = monotonicMs();
    for (const stream of this.streams) {
      if (mustCheck) stream.mustCheck = true;
      if (hasMoved && stream.known !== null) stream.behindSince ??= now;
      this.#host.schedule(stream);
    }
  }

  #move(state: PinnedState, version: number, changes: readonly ChangeLogEntry[] | null): void {
    this.history = state.history;
    this.version = version;
    if (changes === null) this.changes?.restart(state.number);
    else this.changes?.note(changes, state, version);
    this.#kept.clear();
    this.#dropUnsent();
  }

  next(stream: Stream): StreamEvent | 'later' | null {
    const need = this.#encoding.need(this, stream.known);
    if (need === null) return null;
    const kept = this.#kept.get(need);
    if (kept !== undefined) return kept;
    const pending = this.#pending.get(need) ?? { known: stream.known, streams: new Set() };
    this.#pending.set(need, pending);
    pending.streams.add(stream);
    this.#makeNext();
    return 'later';
  }

  #makeNext(): void {
    const [next] = this.#pending;
    if (this.#isMaking || next === undefined) return;
    const [need, pending] = next;
    this.#isMaking = true;
    this.#host.queue
      .run(() => this.#make(need, pending))
      .catch((fault: unknown): StreamEnd => {
        this.#host.onFault(fault);
        return 'fault';
      })
      .then((made) => {
        this.#isMaking = false;
        this.#deliver(need, made);
        this.#makeNext();
      })
      .catch((fault: unknown) => this.#host.onFault(fault));
  }

  /** @returns null when no stream waits for the event any more */
  *#make(need: string, { known, streams }: PendingEvent): Generator<unknown, StreamEvent | StreamEnd | null> {
    const steps = this.#steps(need, known);
    try {
      while (streams.size > 0) {
        const step = steps.next();
        if (step.done === true) return step.value;
        yield;
      }
      return null;
    } finally {
      steps.return('drain');
    }
  }

  *#steps(need: string, known: SyncPosition | null): Making {
    if (need !== snapshotNeed && known !== null) yield* this.changes?.prepare(known.number) ?? [];
    const state = this.watch.state.retain();
    try {
      const made = this.#encoding.make(this, need, known, state);
      return 'bytes' in made ? made : yield* made;
    } finally {
      state.release();
    }
  }

  #deliver(need: string, made: StreamEvent | StreamEnd | null): void {
    const streams = this.#pending.get(need)?.streams ?? [];
    this.#pending.delete(need);
    for (const stream of streams) {
      stream.isWaiting = false;
      if (typeof made === 'string') this.#host.end(stream, made);
      else if (made !== null) stream.offer(made);
      this.#host.schedule(stream);
    }
    if (made === null || typeof made === 'string' || this.streams.size === 0) return;
    this.#events.set(made, need);
    if (made.known?.history === this.history && made.known.number >= this.version) this.#kept.set(need, made);
    this.#dropUnsent();
  }

  release(event: StreamEvent): void {
    if (!this.#isKept(event) && this.#events.delete(event)) this.#account();
  }

  #isKept(event: StreamEvent): boolean {
    return this.#kept.get(this.#events.get(event) ?? '') === event;
  }

  #dropUnsent(): void {
    for (const event of this.#events.keys()) {
      if (event.readers.size === 0 && !this.#isKept(event)) this.#events.delete(event);
    }
    this.#account();
  }

  #account(): void {
    let bytes = this.changes?.bytes ?? 0;
    for (const event of this.#events.keys()) bytes += event.bytes.length;
    this.#host.memory.set(this, bytes);
  }

  dropIdle(): void {
    this.changes?.restart(this.#host.watch.state.number);
    this.#kept.clear();
    this.#dropUnsent();
  }

  cutOldest(isNewestToo: boolean): boolean {
    for (const event of this.#events.keys()) {
      const isNewest = event.known?.history === this.history && event.known.number >= this.version;
      if (isNewest && !isNewestToo) continue;
      for (const stream of [...event.readers]) this.#host.end(stream, 'slow');
      this.#events.delete(event);
      this.#account();
      return true;
    }
    return false;
  }

  beat(stream: Stream): Uint8Array | null {
    return this.#encoding.beat(this, stream);
  }

  check(stream: Stream): StreamEnd | null {
    const { number } = this.#host.checks;
    if (this.#checkedRound !== number) this.#checked.clear();
    this.#checkedRound = number;
    const { tokenId } = stream;
    if (!this.#checked.has(tokenId)) this.#checked.set(tokenId, this.#encoding.check(this, stream));
    return this.#checked.get(tokenId) ?? null;
  }

  farewell(stream: Stream, reason: StreamEnd): Uint8Array | null {
    return this.#encoding.farewell(stream, reason);
  }

  leave(stream: Stream): void {
    this.streams.delete(stream);
    const [first] = this.#pending.keys();
    for (const [need, { streams }] of this.#pending) {
      // The first event may be being made.
      if (streams.delete(stream) && streams.size === 0 && need !== first) this.#pending.delete(need);
    }
    if (this.streams.size > 0) return;
    this.#kept.clear();
    this.#events.clear();
    this.#host.memory.set(this, 0);
    this.#host.onEmpty(this);
  }
}

/** The need of a client that cannot apply a delta. */
export const snapshotNeed = 'snapshot';
