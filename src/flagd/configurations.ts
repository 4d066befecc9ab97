import { setImmediate } from 'node:timers/promises';
import type { SyncSnapshot } from '../domain/sync/configuration.ts';
import { flagdConfiguration } from '../domain/sync/flagd-format.ts';
import { readSyncPosition } from '../domain/sync/sync-position.ts';
import type { Steps } from '../support/steps.ts';
import type { EnvironmentWatch, WatchedFrom } from '../worker/sync/environment-watch.ts';
import type { PinnedState } from '../worker/sync/settled-state.ts';
import { SeenVersions } from '../worker/sync/sync-census.ts';
import { type SyncedEnvironment, snapshotPieces } from '../worker/sync/sync-content.ts';
import type { RefusedStatus } from './flagd-protocol.ts';
import { type EncodedMessage, encodeConfiguration } from './sync-messages.ts';

/** The largest configuration, as a message. Most clients take 4 MiB unless they are told otherwise. */
export const messageBytesMax = 16 * 1024 * 1024;
/** Memory for the configurations of all environments that streams are open for. */
export const configurationsBytesMax = 256 * 1024 * 1024;
/** How long reading and writing go on before pings and other streams are looked at. */
const sliceMs = 10;

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
 * and forgotten with the last stream. One is made at a time, in slices.
 */
export class Configurations {
  readonly #options: ConfigurationsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Environments to be read, the one that waits longest first. */
  readonly #dirty = new Set<Entry>();
  #making: Promise<void> | null = null;
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
      get number() {
        return entry.number;
      },
      release: () => {
        entry.listeners.delete(onConfiguration);
        if (entry.listeners.size > 0 || this.#entries.get(key) !== entry) return;
        this.#entries.delete(key);
        this.#dirty.delete(entry);
        entry.watched.end();
      },
    };
  }

  #begin(key: string, place: SyncedEnvironment): Entry {
    const watched = this.#options.watch.watch(place.projectId, place.environmentNumber, {
      onChange: () => this.#mark(entry),
      onProjectChange: () => this.#options.onProjectChange(),
    });
    const none = { configuration: null, number: 0, reading: 0, begun: 0, version: '' };
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
    this.#dirty.add(entry);
    this.#making ??= this.#makeAll()
      .catch(this.#options.onFault)
      .finally(() => {
        this.#making = null;
      });
  }

  /** The number of an environment's last change, which may not have been read yet. */
  newestNumber(place: SyncedEnvironment): number {
    return numberIn(this.#versionOf(place));
  }

  /** Nothing is read any more when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#making;
  }

  async #makeAll(): Promise<void> {
    // Streams that are opened in one turn of the event loop, and changes that come together, are one reading.
    await setImmediate();
    for (const entry of this.#dirty) {
      if (this.#isClosed) return;
      // A change from here on marks it again.
      this.#dirty.delete(entry);
      const made = await this.#make(entry);
      if (!isSame(entry.configuration, made)) entry.configuration = made;
      entry.reading = entry.begun;
      entry.number = numberIn(entry.version);
      for (const listener of [...entry.listeners]) listener();
    }
  }

  async #make(entry: Entry): Promise<Configuration> {
    const state = this.#options.watch.pin();
    const startedAt = performance.now();
    entry.begun += 1;
    try {
      entry.version = versionIn(state, entry.place);
      const made = await this.#inSlices(translate(state, entry.place, entry.version));
      if (made.kind === 'message' && !this.#hasRoomFor(made.message.length, entry)) return noRoom;
      return made;
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

  /** Takes the steps in slices, between which the thread does everything else. */
  async #inSlices(steps: Steps<Configuration>): Promise<Configuration> {
    while (!this.#isClosed) {
      const until = performance.now() + sliceMs;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (performance.now() < until);
      await setImmediate();
    }
    // The state must not be read after it is released.
    steps.return(unreadable);
    return unreadable;
  }

  #hasRoomFor(bytes: number, own: Entry): boolean {
    let held = bytes;
    for (const entry of this.#entries.values()) {
      if (entry !== own && entry.configuration?.kind === 'message')
        held += entry.configuration.message.length;
    }
    return held <= configurationsBytesMax;
  }
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

/** Reads the environment as sync does, and writes it in flagd's format. */
function* translate(state: PinnedState, place: SyncedEnvironment, version: string): Steps<Configuration> {
  const read = new BoundedPieces();
  for (const piece of snapshotPieces(state, place, version)) {
    if (!read.add(piece)) return tooLarge;
    yield;
  }
  const snapshot = JSON.parse(Buffer.concat(read.chunks).toString()) as SyncSnapshot;
  const written = new BoundedPieces();
  for (const piece of flagdConfiguration(snapshot)) {
    if (!written.add(piece)) return tooLarge;
    yield;
  }
  return { kind: 'message', message: encodeConfiguration(written.chunks) };
}

class BoundedPieces {
  readonly chunks: Uint8Array[] = [];
  #bytes = 0;

  /** @returns whether it is not too large yet */
  add(piece: string | Uint8Array): boolean {
    // Copied: a piece of bytes is valid until the next one is asked for.
    const chunk = Buffer.from(piece);
    this.chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes <= messageBytesMax;
  }
}

function isSame(one: Configuration | null, other: Configuration): boolean {
  if (one?.kind !== 'message' || other.kind !== 'message') return one === other;
  return one.message.equals(other.message);
}
