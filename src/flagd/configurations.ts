import { setImmediate } from 'node:timers/promises';
import { readSyncPosition } from '../domain/sync/sync-position.ts';
import { FairAmount, usualWeights } from '../support/fair-share.ts';
import type { Steps } from '../support/steps.ts';
import { TenantTurns } from '../support/tenant-turns.ts';
import type { EnvironmentWatch, WatchedFrom } from '../worker/sync/environment-watch.ts';
import type { PinnedState } from '../worker/sync/settled-state.ts';
import { SeenVersions } from '../worker/sync/sync-census.ts';
import type { SyncedEnvironment } from '../worker/sync/sync-content.ts';
import type { RefusedStatus } from './flagd-protocol.ts';
import { messageBytesMax, readConfiguration } from './read-configuration.ts';
import { type EncodedMessage, encodeConfiguration } from './sync-messages.ts';

/** Memory for the configurations of all environments that streams are open for. */
export const configurationsBytesMax = 256 * 1024 * 1024;
/** Configurations that are made at once: one of an organisation, so that a short one does not wait for a long one of another. */
const makingsMax = 2;
/** How long the making of one goes on before pings and other streams are looked at. */
const sliceMs = 5;

/** What the streams of an environment are sent, or why they end. */
export type Configuration =
  | { readonly kind: 'message'; readonly message: EncodedMessage }
  | { readonly kind: 'refused'; readonly status: RefusedStatus; readonly detail: string };

export interface ConfigurationsOptions {
  readonly watch: EnvironmentWatch;
  /** Environments of a project may have been renamed or deleted. */
  readonly onProjectChange: () => void;
  readonly onTranslation: (ms: number) => void;
  readonly onFault: (fault: unknown) => void;
}

/** An environment with streams. */
export interface HeldEnvironment {
  readonly place: SyncedEnvironment;
  readonly seen: SeenVersions;
}

/** A stream's hold on the configuration of its environment. */
export interface Holding {
  /** The same object for all of its streams. */
  readonly environment: HeldEnvironment;
  /** Null while the newest state is being read: `onConfiguration` follows. */
  readonly current: Configuration | null;
  /** Counts the different configurations that `current` has been. */
  readonly edition: number;
  /** The number of the environment's last change that `current` has. */
  readonly number: number;
  release(): void;
}

const tooLarge: Configuration = {
  kind: 'refused',
  status: 'resource-exhausted',
  detail: `The configuration of this environment is larger than ${messageBytesMax / 2 ** 20} MiB, the most that providers of flagd are sent. Shorten its lists of cohorts.`,
};
const noRoom: Configuration = {
  kind: 'refused',
  status: 'resource-exhausted',
  detail: 'The configurations that are held for providers of flagd have no more room. Try again later.',
};
const unreadable: Configuration = {
  kind: 'refused',
  status: 'unavailable',
  detail: 'The configuration could not be read. The log of the service says why.',
};

/** One environment's configuration, for all streams that are open for it. */
interface Entry extends HeldEnvironment {
  readonly listeners: Set<() => void>;
  readonly watched: WatchedFrom;
  configuration: Configuration | null;
  edition: number;
  /** The number of the environment's last change that the configuration has. */
  number: number;
  /** The reading that the configuration is of; they count from 1. */
  reading: number;
  /** The newest reading that has begun, and the environment's version that it reads; empty where it failed. */
  begun: number;
  version: string;
}

/**
 * The configurations in flagd's format: read and written once for all streams of an environment, again after each change,
 * and forgotten with the last stream. They are made in slices.
 */
export class Configurations {
  readonly #options: ConfigurationsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Environments to be read. */
  readonly #dirty = new TenantTurns<Entry>();
  readonly #room = new FairAmount(configurationsBytesMax, usualWeights);
  /** The places of those that are being made, and the loops that make them. */
  readonly #makings = new FairAmount(makingsMax, usualWeights);
  readonly #making = new Set<Promise<void>>();
  #loops = 0;
  #isClosed = false;

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
  }

  /**
   * The configuration is never older than this call.
   * @param onConfiguration called whenever `current` may have changed
   */
  hold(place: SyncedEnvironment, onConfiguration: () => void): Holding {
    const key = `${place.projectId}/${place.environmentNumber}/${place.name ?? ''}`;
    const entry = this.#entries.get(key) ?? this.#begin(key, place);
    const isNewest = entry.version === this.#versionOf(place);
    if (!isNewest) this.#mark(entry);
    // Streams that are open already get what was read meanwhile, too: changes may never stop.
    const leastReading = isNewest ? entry.begun : entry.begun + 1;
    entry.listeners.add(onConfiguration);
    return {
      environment: entry,
      get current() {
        return entry.reading >= leastReading ? entry.configuration : null;
      },
      get edition() {
        return entry.edition;
      },
      get number() {
        return entry.number;
      },
      release: () => {
        entry.listeners.delete(onConfiguration);
        if (entry.listeners.size > 0 || this.#entries.get(key) !== entry) return;
        this.#entries.delete(key);
        this.#dirty.delete(place, entry);
        this.#putIn(entry, null);
        entry.watched.end();
      },
    };
  }

  #begin(key: string, place: SyncedEnvironment): Entry {
    const watched = this.#options.watch.watch(place.projectId, place.environmentNumber, {
      onChange: () => this.#mark(entry),
      onProjectChange: () => this.#options.onProjectChange(),
    });
    const none = { configuration: null, edition: 0, number: 0, reading: 0, begun: 0, version: '' };
    const entry: Entry = { place, watched, listeners: new Set(), seen: new SeenVersions(), ...none };
    this.#entries.set(key, entry);
    return entry;
  }

  #versionOf(place: SyncedEnvironment): string {
    const state = this.#options.watch.pin();
    try {
      return versionIn(state, place);
    } finally {
      state.release();
    }
  }

  #mark(entry: Entry): void {
    this.#dirty.add(entry.place, entry);
    this.#beginMaking();
  }

  #beginMaking(): void {
    if (this.#isClosed || this.#loops === makingsMax) return;
    this.#loops += 1;
    const making = this.#makeInTurns().catch((fault) => {
      this.#loops -= 1;
      this.#options.onFault(fault);
      if (this.#dirty.size > 0) this.#beginMaking();
    });
    this.#making.add(making);
    void making.then(() => this.#making.delete(making));
  }

  /** The number of an environment's last change, which may not have been read yet. */
  newestNumber(place: SyncedEnvironment): number {
    return numberIn(this.#versionOf(place));
  }

  /** Nothing is read any more when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#making);
  }

  async #makeInTurns(): Promise<void> {
    // Streams that are opened in one turn of the event loop, and changes that come together, are one reading.
    await setImmediate();
    // A change from here on marks it again.
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      try {
        const made = await this.#make(entry);
        if (!isSame(entry.configuration, made)) this.#putIn(entry, made);
      } finally {
        this.#makings.give(entry.place, 1);
      }
      entry.reading = entry.begun;
      entry.number = numberIn(entry.version);
      for (const listener of [...entry.listeners]) listener();
    }
  }

  /** @returns null: the loop ends; what waits for the place of another one is made by that one's loop */
  #next(): Entry | null {
    const entry = this.#isClosed ? undefined : this.#dirty.take(this.#makings);
    if (entry === undefined) this.#loops -= 1;
    return entry ?? null;
  }

  /** Puts a configuration in the place of the present one. */
  #putIn(entry: Entry, made: Configuration | null): void {
    this.#room.give(entry.place, bytesOf(entry.configuration));
    const bytes = bytesOf(made);
    // While it was made, all streams that needed it may have ended.
    const hasRoom = bytes === 0 || (entry.listeners.size > 0 && this.#room.take(entry.place, bytes));
    entry.configuration = hasRoom ? made : noRoom;
    entry.edition += 1;
  }

  async #make(entry: Entry): Promise<Configuration> {
    const state = this.#options.watch.pin();
    const startedAt = performance.now();
    entry.begun += 1;
    try {
      entry.version = versionIn(state, entry.place);
      const chunks = await this.#inSlices(readConfiguration(state, entry.place, entry.version));
      if (chunks === null) return unreadable;
      return chunks === 'too-large' ? tooLarge : { kind: 'message', message: encodeConfiguration(chunks) };
    } catch (fault) {
      this.#options.onFault(fault);
      // The next stream tries again.
      entry.version = '';
      return unreadable;
    } finally {
      state.release();
      this.#options.onTranslation(performance.now() - startedAt);
    }
  }

  /** Takes the steps in slices, between which the thread does everything else. @returns null when it is closed */
  async #inSlices<T>(steps: Steps<T>): Promise<T | null> {
    while (!this.#isClosed) {
      const until = performance.now() + sliceMs;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (performance.now() < until);
      await setImmediate();
    }
    // The state must not be read after it is released.
    steps.return(undefined as T);
    return null;
  }
}

function bytesOf(configuration: Configuration | null): number {
  return configuration?.kind === 'message' ? configuration.message.length : 0;
}

function versionIn(
  { history, snapshot }: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
): string {
  return `${history}.${snapshot.sync.versionOf(projectId, environmentNumber)}`;
}

/** @param version empty where none could be read */
function numberIn(version: string): number {
  return readSyncPosition(version)?.number ?? 0;
}

function isSame(one: Configuration | null, other: Configuration): boolean {
  if (one?.kind !== 'message' || other.kind !== 'message') return one === other;
  return one.message.equals(other.message);
}
