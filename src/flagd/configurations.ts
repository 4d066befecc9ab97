import { setImmediate } from 'node:timers/promises';
import type { SyncSnapshot } from '../domain/sync/configuration.ts';
import { flagdConfiguration } from '../domain/sync/flagd-format.ts';
import type { Steps } from '../support/steps.ts';
import type { EnvironmentWatch, WatchedFrom } from '../worker/sync/environment-watch.ts';
import type { PinnedState } from '../worker/sync/settled-state.ts';
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

/** A stream's hold on the configuration of its environment. */
export interface Holding {
  /** Null while the newest state is being read: `onConfiguration` follows. */
  readonly current: Configuration | null;
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
interface Entry {
  readonly place: SyncedEnvironment;
  readonly listeners: Set<() => void>;
  readonly watched: WatchedFrom;
  configuration: Configuration | null;
  /** The version of the environment that it was made of, or is being made of. */
  version: string;
  isDirty: boolean;
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
    if (!entry.isDirty && entry.version !== this.#versionOf(place)) this.#mark(entry);
    entry.listeners.add(onConfiguration);
    return {
      get current() {
        return entry.isDirty ? null : entry.configuration;
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
    const listeners = new Set<() => void>();
    const entry: Entry = { place, listeners, watched, configuration: null, version: '', isDirty: false };
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
    entry.isDirty = true;
    this.#dirty.add(entry);
    this.#making ??= this.#makeAll()
      .catch(this.#options.onFault)
      .finally(() => {
        this.#making = null;
      });
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
      this.#dirty.delete(entry);
      // A change from here on marks it again.
      entry.isDirty = false;
      const made = await this.#make(entry);
      if (!isSame(entry.configuration, made)) entry.configuration = made;
      for (const listener of [...entry.listeners]) listener();
    }
  }

  async #make(entry: Entry): Promise<Configuration> {
    const state = this.#options.watch.pin();
    const startedAt = performance.now();
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
