import { formatSyncPosition, type SyncPosition } from '../../domain/sync/sync-position.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import type { ConfigurationChange, EnvironmentWatch, WatchedFrom } from './environment-watch.ts';
import type { KeptHold, KeptRoom } from './kept-room.ts';
import { RecentChanges } from './recent-changes.ts';
import type { PinnedState } from './settled-state.ts';
import { SeenVersions } from './sync-census.ts';
import {
  type AppliedAudiences,
  audienceOfFlag,
  deltaPieces,
  readApplied,
  type SyncedEnvironment,
  snapshotPieces,
} from './sync-content.ts';
import { ChunkList, eventEnd, eventHead, keptBytesMax, type SyncMessage } from './sync-events.ts';

/** Messages that are kept for an environment at once: one for each state that clients are found at. */
const messagesKept = 8;
/** Estimate of what a remembered change, or the audience that a flag applies, takes: an id, and its place in a table. */
const entryBytes = 128;

/** An event that a stream makes for itself while it is sent, because it is long. */
export interface LongContent {
  readonly history: string;
  readonly number: number;
  readonly event: 'snapshot' | 'delta';
  readonly pieces: Generator<string | Uint8Array>;
}

interface FeedHooks {
  /** Streams of the feed may need something. */
  onMoved(feed: EnvironmentFeed): void;
  /** The environment may have been renamed or deleted. */
  onProjectChange(feed: EnvironmentFeed): void;
}

/** What the streams of one environment on a worker are sent: each message is made once for all of them. */
export class EnvironmentFeed {
  readonly environment: SyncedEnvironment;
  readonly seen = new SeenVersions();
  readonly #from: WatchedFrom;
  readonly #recent: RecentChanges;
  readonly #hold: KeptHold;
  readonly #kept = new Map<string, SyncMessage>();
  /** Messages that were found too long to be kept. */
  readonly #long = new Set<string>();
  #applied: AppliedAudiences | null = null;
  /** Flags whose audience is to be read again. */
  #unread = new Set<string>();
  /** Counts restarts: work in steps that began before one has read a state that the feed has left behind. */
  #restarts = 0;
  /** The number of the last change of all that the feed was told of, and of the last one of its environment. */
  #told: number;
  version: number;
  history: string;

  /** @param room bounds what it keeps, and nothing that it sends: what found no room is made again */
  constructor(
    environment: SyncedEnvironment,
    watch: Pick<EnvironmentWatch, 'watch'>,
    room: KeptRoom,
    hooks: FeedHooks,
  ) {
    this.environment = environment;
    this.#hold = room.hold(environment);
    const { projectId, environmentNumber } = environment;
    this.#from = watch.watch(projectId, environmentNumber, {
      onChange: (change) => {
        this.#take(change);
        hooks.onMoved(this);
      },
      onProjectChange: () => hooks.onProjectChange(this),
    });
    this.history = this.#from.history;
    this.version = this.#from.version;
    this.#told = this.#from.number;
    this.#recent = new RecentChanges(projectId, this.#told);
  }

  close(): void {
    this.#from.end();
    this.#hold.end();
    this.#kept.clear();
    this.#restart(this.#told);
  }

  /** @returns whether there is room for all that it keeps */
  #fit(): boolean {
    let bytes = entryBytes * (this.#recent.size + (this.#applied?.size ?? 0) + this.#unread.size);
    for (const message of this.#kept.values()) bytes += message.bytes;
    return this.#hold.resize(bytes);
  }

  #take({ state, version, changes }: ConfigurationChange): void {
    const isOther = state.history !== this.history;
    this.history = state.history;
    this.version = version;
    if (isOther || changes === null) this.#restart(state.number);
    else this.#note(changes);
    this.#long.clear();
    for (const [key, { history, number }] of this.#kept) {
      if (isOther || history !== this.history || number < version) this.#kept.delete(key);
    }
    this.#told = state.number;
    this.#fitOrRestart();
  }

  /** Forgets everything where there is no room for it: clients are sent snapshots. @returns whether there was room */
  #fitOrRestart(): boolean {
    if (this.#fit()) return true;
    this.#kept.clear();
    this.#restart(this.#told);
    this.#fit();
    return false;
  }

  #note(changes: readonly ChangeLogEntry[]): void {
    for (const flag of this.#recent.add(changes)) this.#unread.add(flag);
  }

  #restart(from: number): void {
    this.#restarts += 1;
    this.#recent.restart(from);
    this.#applied = null;
    this.#unread.clear();
  }

  /** What a client at a position needs. @returns a key; null: it knows everything */
  needOf(position: SyncPosition | null): string | null {
    if (position === null || position.history !== this.history) return snapshotKey;
    if (position.number >= this.version) return null;
    return this.#recent.keyAfter(position.number) ?? snapshotKey;
  }

  /** @returns what is kept for a need; `long`: it is too long for that; null: it is to be made */
  find(key: string): SyncMessage | 'long' | null {
    return this.#kept.get(key) ?? (this.#long.has(key) ? 'long' : null);
  }

  /** Finds out whether what a client has missed is known. */
  *search(state: PinnedState, position: SyncPosition): Generator<string, boolean> {
    if (this.#recent.reaches(position.number)) return true;
    const isFound = yield* this.#recent.search(state.snapshot.sync, position.number);
    // The change log does not tell which audiences flags have let go of.
    if (isFound) this.#applied = null;
    return isFound && this.#fitOrRestart();
  }

  /**
   * Makes the message for a need in steps, and keeps it. @param known the position of a client that needs it
   * @returns `long` when it is too long to be kept
   */
  *make(
    key: string,
    known: SyncPosition | null,
    state: PinnedState,
  ): Generator<string, SyncMessage | 'long'> {
    const content = yield* this.content(key, known, state);
    const { event, history, number } = content;
    const list = new ChunkList();
    for (const piece of content.pieces) {
      list.add(piece);
      if (list.bytes > keptBytesMax) {
        content.pieces.return(undefined);
        if (this.#long.size >= messagesKept) this.#long.clear();
        this.#long.add(key);
        return 'long';
      }
      yield '';
    }
    const message = { event, history, number, bytes: list.bytes, chunks: list.finish() };
    if (history === this.history && number >= this.version) this.#keep(key, message);
    return message;
  }

  #keep(key: string, message: SyncMessage): void {
    if (this.#kept.size >= messagesKept) this.#kept.clear();
    this.#kept.set(key, message);
    if (this.#fit()) return;
    this.#kept.clear();
    this.#fit();
  }

  /** @param key of `needOf` for the position @returns the whole event in pieces, from this state */
  *content(key: string, known: SyncPosition | null, state: PinnedState): Generator<string, LongContent> {
    const isDelta = key !== snapshotKey && known !== null && state.history === this.history;
    const delta = isDelta ? yield* this.#delta(known, state) : null;
    return delta ?? this.#snapshot(state);
  }

  #snapshot(state: PinnedState): LongContent {
    const { projectId, environmentNumber } = this.environment;
    const { history, number } = state;
    const version = formatSyncPosition({
      history,
      number: state.snapshot.sync.versionOf(projectId, environmentNumber),
    });
    const pieces = framed('snapshot', version, snapshotPieces(state, this.environment, version));
    return { event: 'snapshot', history, number, pieces };
  }

  /** @returns null when the feed has restarted meanwhile: what has changed since is no longer known */
  *#delta(known: SyncPosition, state: PinnedState): Generator<string, LongContent | null> {
    const { projectId, environmentNumber } = this.environment;
    const applied = yield* this.#readApplied(state);
    // What is remembered may have been forgotten since the client's need was found, or its oldest part was.
    if (applied === null || !this.#recent.reaches(known.number)) return null;
    const changed = this.#recent.after(known.number);
    const used = new Set(applied.values());
    const { history } = this;
    const present = state.snapshot.sync.versionOf(projectId, environmentNumber);
    // More may have been told of than this state has, and this state may have more than was told of.
    const version = formatSyncPosition({ history, number: Math.min(this.version, present) });
    const number = present <= this.version ? state.number : this.version;
    const pieces = deltaPieces(state, this.environment, version, changed, (id) => used.has(id));
    return { event: 'delta', history, number, pieces: framed('delta', version, pieces) };
  }

  /** Whether the feed was told of changes that the state does not have: then it is too old to be sent from. */
  isAheadOf(state: PinnedState): boolean {
    const { projectId, environmentNumber } = this.environment;
    if (state.history !== this.history) return false;
    return this.version > state.snapshot.sync.versionOf(projectId, environmentNumber);
  }

  /**
   * Which flag applies which audience now. Read whole once, and then only of flags that have changed.
   * @returns null when the feed has restarted meanwhile: nothing of the earlier state is kept
   */
  *#readApplied(state: PinnedState): Generator<string, AppliedAudiences | null> {
    const begun = this.#restarts;
    const unread = this.#unread;
    this.#unread = new Set();
    try {
      const applied = this.#applied ?? (yield* this.#readAllApplied(state, begun));
      if (applied === null) return null;
      if (this.#applied === null) unread.clear();
      this.#applied = applied;
      for (const flag of unread) {
        const before = applied.get(flag);
        const now = audienceOfFlag(state, this.environment, flag) ?? undefined;
        if (begun !== this.#restarts) return null;
        unread.delete(flag);
        if (now === undefined) applied.delete(flag);
        else applied.set(flag, now);
        if (before !== undefined && before !== now) this.#noteUnapplied(applied, before);
      }
      return applied;
    } finally {
      // What was not read, because the work was given up, is read the next time.
      if (begun === this.#restarts) for (const flag of unread) this.#unread.add(flag);
      // The changes stay: the delta that this is read for needs them.
      if (!this.#fit()) {
        this.#applied = null;
        this.#kept.clear();
        this.#fit();
      }
    }
  }

  /** @param begun the restart since which nothing may be new. @returns null when the feed has restarted meanwhile */
  *#readAllApplied(state: PinnedState, begun: number): Generator<string, AppliedAudiences | null> {
    const applied = yield* readApplied(state, this.environment);
    if (begun !== this.#restarts) return null;
    yield* this.#noteAllUnapplied(state, new Set(applied.values()));
    return begun === this.#restarts ? applied : null;
  }

  /** What flags have let go of before is not known. */
  *#noteAllUnapplied(state: PinnedState, used: ReadonlySet<string>): Generator<string, void> {
    for (const { id } of state.snapshot.queries.audienceNamesOf(this.environment.projectId)) {
      if (!used.has(id)) this.#recent.noteUnapplied(this.version, id);
      yield '';
    }
  }

  #noteUnapplied(applied: AppliedAudiences, audience: string): void {
    for (const one of applied.values()) if (one === audience) return;
    this.#recent.noteUnapplied(this.version, audience);
  }
}

const snapshotKey = 'snapshot';

function* framed(
  event: 'snapshot' | 'delta',
  version: string,
  pieces: Generator<string | Uint8Array>,
): Generator<string | Uint8Array> {
  yield eventHead(event, version);
  yield* pieces;
  yield eventEnd;
}
