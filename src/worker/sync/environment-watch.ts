import type { StoreReader } from '../../storage/store-reader.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import { assert } from '../../support/assert.ts';
import { isUnsettled, StoreVersion } from '../../support/store-version.ts';
import { PinnedState } from './settled-state.ts';

/** How often the store's version is compared while anything is watched: one atomic load for all environments. */
export const lookEveryMs = 20;

/** What has changed for an environment. */
export interface ConfigurationChange {
  /** Valid during the call; `retain` keeps it. */
  readonly state: PinnedState;
  /** The number of the last change that concerned the environment: it has moved, or the history has. */
  readonly version: number;
  /** Changes of the project since the last time, oldest first, other environments' too; null: more than are listed. */
  readonly changes: readonly ChangeLogEntry[] | null;
}

export interface EnvironmentListener {
  /** What the environment evaluates has changed. The change is on disk. */
  onChange(change: ConfigurationChange): void;
  /** The project's record has changed: the environment may have been renamed or deleted. */
  onProjectChange?(): void;
}

export interface EnvironmentWatchOptions {
  readonly reader: StoreReader;
  /** Moves the reader to the newest state. */
  readonly refresh: () => void;
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly onFault: (fault: unknown) => void;
}

/** The state from which an environment is watched; it may not be on disk yet. */
export interface WatchedFrom {
  readonly history: string;
  /** Of the last change of all. */
  readonly number: number;
  /** Of the last change of the environment. */
  readonly version: number;
  /** Ends the watch. */
  end(): void;
}

interface Watched {
  readonly environmentNumber: number;
  readonly listeners: Set<EnvironmentListener>;
  version: number;
}

/**
 * Tells of changes by project and environment, on a worker: one look at the store's version for all of them, and one look
 * at the change log for each commit. While nothing is watched, it does nothing.
 */
export class EnvironmentWatch {
  readonly #options: EnvironmentWatchOptions;
  readonly #version: StoreVersion;
  readonly #watched = new Map<string, Map<number, Watched>>();
  readonly #onMoved = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #isSettling = false;
  #versionSeen = -1;
  #sequenceSeen = 0;
  #history = '';
  #number = 0;

  constructor(options: EnvironmentWatchOptions) {
    this.#options = options;
    this.#version = new StoreVersion(options.storeVersion);
  }

  /** The history that the newest known number belongs to. Only while something is watched. */
  get history(): string {
    return this.#history;
  }

  /** The number of the newest change that listeners have been told of, whatever it concerned. */
  get number(): number {
    return this.#number;
  }

  /**
   * Watches an environment. The listener is told of every change after the state that this returns, and of all that came
   * before it in one.
   * @param environmentNumber `soleEnvironment` in a single-environment project
   */
  watch(projectId: string, environmentNumber: number, listener: EnvironmentListener): WatchedFrom {
    if (this.#timer === null) this.#begin();
    const environments = this.#watched.get(projectId) ?? new Map<number, Watched>();
    this.#watched.set(projectId, environments);
    const { history, number, version } = this.#present(projectId, environmentNumber);
    const watched = environments.get(environmentNumber) ?? {
      environmentNumber,
      listeners: new Set(),
      version,
    };
    environments.set(environmentNumber, watched);
    watched.listeners.add(listener);
    const end = (): void => this.#drop(listener, projectId, environmentNumber);
    return { history, number, version, end };
  }

  /** @param listener called after each commit, whatever it changed, while something is watched. @returns ends it */
  onCommit(listener: () => void): () => void {
    this.#onMoved.add(listener);
    return () => this.#onMoved.delete(listener);
  }

  /** @returns the newest state, to be released */
  pin(): PinnedState {
    this.#options.refresh();
    return new PinnedState(this.#options.reader, this.#version);
  }

  /** Nobody is told of anything any more. */
  close(): void {
    this.#watched.clear();
    this.#onMoved.clear();
    this.#end();
  }

  #present(projectId: string, environmentNumber: number) {
    const state = this.pin();
    try {
      const version = state.snapshot.sync.versionOf(projectId, environmentNumber);
      return { history: state.history, number: state.number, version };
    } finally {
      state.release();
    }
  }

  #begin(): void {
    this.#versionSeen = this.#version.load();
    const state = this.pin();
    this.#sequenceSeen = this.#options.reader.sequence();
    this.#history = state.history;
    this.#number = state.number;
    state.release();
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  #end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #drop(listener: EnvironmentListener, projectId: string, environmentNumber: number): void {
    const environments = this.#watched.get(projectId);
    const watched = environments?.get(environmentNumber);
    if (environments === undefined || watched === undefined) return;
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0) return;
    environments.delete(environmentNumber);
    if (environments.size === 0) this.#watched.delete(projectId);
    if (this.#watched.size === 0) this.#end();
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
    const state = this.pin();
    // Of the same snapshot, which nobody can have moved meanwhile.
    const changes = this.#options.reader.changesSince(this.#sequenceSeen);
    const sequence = this.#options.reader.sequence();
    this.#isSettling = true;
    state.whenSettled(() => {
      this.#isSettling = false;
      this.#versionSeen = version;
      this.#sequenceSeen = sequence;
      try {
        if (this.#timer !== null) this.#tell(state, changes);
      } catch (fault) {
        this.#options.onFault(fault);
      } finally {
        state.release();
      }
    });
  }

  #tell(state: PinnedState, changes: readonly ChangeLogEntry[] | null): void {
    const isOther = state.history !== this.#history;
    this.#history = state.history;
    this.#number = state.number;
    const isAll = isOther || changes === null || changes.some(({ kind }) => kind === 'everything');
    if (isAll)
      for (const projectId of this.#watched.keys()) this.#tellProject(projectId, state, null, isOther);
    else {
      for (const [projectId, own] of byProject(changes, this.#watched)) {
        this.#tellProject(projectId, state, own, false);
      }
    }
    for (const listener of this.#onMoved) listener();
  }

  #tellProject(
    projectId: string,
    state: PinnedState,
    changes: readonly ChangeLogEntry[] | null,
    isOther: boolean,
  ): void {
    const environments = [...(this.#watched.get(projectId)?.values() ?? [])];
    const isItself = changes === null || changes.some(({ id }) => id === projectId);
    for (const watched of environments) {
      const version = state.snapshot.sync.versionOf(projectId, watched.environmentNumber);
      assert(isOther || changes === null || version >= watched.version, 'numbers of changes count up');
      const hasMoved = isOther || version !== watched.version;
      watched.version = version;
      for (const listener of [...watched.listeners]) {
        if (isItself) listener.onProjectChange?.();
        if (hasMoved) listener.onChange({ state, version, changes });
      }
    }
  }
}

function byProject(
  changes: readonly ChangeLogEntry[],
  watched: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly ChangeLogEntry[]> {
  const found = new Map<string, ChangeLogEntry[]>();
  for (const change of changes) {
    if (!watched.has(change.projectId)) continue;
    const own = found.get(change.projectId);
    if (own === undefined) found.set(change.projectId, [change]);
    else own.push(change);
  }
  return found;
}
