import type { PinnedSnapshot, StoreReader } from '../storage/store-reader.ts';
import type { ChangeLogEntry } from '../storage/tables/change-log.ts';
import { isUnsettled, StoreVersion } from '../support/store-version.ts';

/** How often the version of the store is compared while streams are open. */
const lookEveryMs = 20;
/** How often a state with an unfinished commit is checked again. A commit takes milliseconds. */
const settleEveryMs = 1;

/**
 * A pinned state of the store. It is settled when all of it is on disk. Streams send settled states only: after a power
 * failure the number of a lost change is given to another change.
 */
export class PinnedState {
  readonly history: string;
  /** The number of its last change. */
  readonly number: number;
  readonly snapshot: PinnedSnapshot;
  readonly #version: StoreVersion;
  readonly #stamp: number;
  #references = 1;

  /** The caller has just moved the reader to the newest state. */
  constructor(reader: StoreReader, version: StoreVersion) {
    this.snapshot = reader.pin();
    this.history = this.snapshot.sync.history();
    this.number = this.snapshot.sync.number();
    // Read after the snapshot was taken: the snapshot has no commit that begins later.
    this.#stamp = version.load();
    this.#version = version;
  }

  get isSettled(): boolean {
    return !isUnsettled(this.#stamp) || this.#version.load() !== this.#stamp;
  }

  /** Calls back once it is settled: at once, or after the commit. */
  whenSettled(settled: () => void): void {
    if (this.isSettled) settled();
    else setTimeout(() => this.whenSettled(settled), settleEveryMs);
  }

  /** Adds a reference. The caller must call `release`. */
  retain(): this {
    this.#references += 1;
    return this;
  }

  /** Until the last reference is released, the file grows with every change. */
  release(): void {
    this.#references -= 1;
    if (this.#references === 0) this.snapshot.release();
  }
}

export interface Commit {
  readonly state: PinnedState;
  /** Changes since the last commit, oldest first. Null: too many, or the state belongs to another history. */
  readonly changes: readonly ChangeLogEntry[] | null;
}

export interface StoreWatchOptions {
  readonly reader: StoreReader;
  /** Moves the reader to the newest state. */
  readonly refresh: () => void;
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly onFault: (fault: unknown) => void;
}

/** Follows the commits of the store for all streams of a thread. It holds the newest settled state while it runs. */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  readonly #version: StoreVersion;
  readonly #onCommit: (commit: Commit) => void;
  #timer: NodeJS.Timeout | null = null;
  #state: PinnedState | null = null;
  #isSettling = false;
  #versionSeen = -1;
  #sequenceSeen = 0;
  #waiting: (() => void)[] = [];

  constructor(options: StoreWatchOptions, onCommit: (commit: Commit) => void) {
    this.#options = options;
    this.#version = new StoreVersion(options.storeVersion);
    this.#onCommit = onCommit;
  }

  /** The state of the last commit that was passed on. @throws Error when the watch does not run */
  get state(): PinnedState {
    if (this.#state === null) throw new Error('the store is not watched');
    return this.#state;
  }

  /** @returns the newest state, which the caller must release */
  pin(): PinnedState {
    this.#options.refresh();
    return new PinnedState(this.#options.reader, this.#version);
  }

  /** Starts the watch. Calls back when `state` has every commit that was acknowledged before this call. */
  whenCurrent(then: () => void): void {
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
    if (this.#isSettling) {
      // The state that is settling may lack a commit that was acknowledged since it was pinned.
      this.#waiting.push(() => this.whenCurrent(then));
      return;
    }
    this.#look();
    if (this.#isSettling || this.#state === null) this.#waiting.push(then);
    else then();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#state?.release();
    this.#state = null;
    this.#waiting = [];
    this.#versionSeen = -1;
  }

  #look(): void {
    const version = this.#version.load();
    if (this.#isSettling || (version === this.#versionSeen && !isUnsettled(version))) return;
    try {
      this.#follow(version);
    } catch (fault) {
      this.#options.onFault(fault);
    }
  }

  #follow(version: number): void {
    const { reader, refresh } = this.#options;
    refresh();
    const changes = this.#state === null ? null : reader.changesSince(this.#sequenceSeen);
    const sequence = reader.sequence();
    const state = new PinnedState(reader, this.#version);
    this.#isSettling = true;
    state.whenSettled(() => {
      this.#isSettling = false;
      if (this.#timer === null) {
        state.release();
        return;
      }
      const before = this.#state;
      this.#state = state;
      this.#versionSeen = version;
      this.#sequenceSeen = sequence;
      const isSameHistory = before?.history === state.history;
      this.#pass({ state, changes: isSameHistory ? changes : null });
      before?.release();
    });
  }

  #pass(commit: Commit): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of [() => this.#onCommit(commit), ...waiting]) {
      try {
        call();
      } catch (fault) {
        this.#options.onFault(fault);
      }
    }
  }
}
