import type { ChangeLogEntry } from '../storage/tables/change-log.ts';
import {
  AppliedAudiences,
  audienceIn,
  audienceOfFlag,
  type ChangedSet,
  type SyncedEnvironment,
} from './configuration.ts';
import type { PinnedState, StoreWatch } from './store-watch.ts';

/** The most changes of an environment that are remembered. A client that missed more gets a snapshot. */
const changesKept = 4000;
/** The most entries of the change log that are searched for the changes that a client missed: some tens of milliseconds. */
const entriesSearched = 10_000;
/** Estimate of the memory for a remembered change, or for the audience that a flag applies. */
const entryBytes = 128;

interface Change {
  readonly number: number;
  readonly flag: string | null;
  readonly audience: string | null;
}

/**
 * The recent changes of an environment, oldest first, and the audiences that its flags apply. From them a client is
 * sent only the changes that it lacks. After `restart`, clients are sent snapshots.
 */
export class Changes {
  readonly #environment: SyncedEnvironment;
  readonly #watch: StoreWatch;
  #changes: Change[] = [];
  /** Every change after this number is in the list. */
  #from: number;
  /** A search found that the change log does not reach back to this number. */
  #unreachable = -1;
  /** Null until a delta needs it. */
  #applied: AppliedAudiences | null = null;

  constructor(environment: SyncedEnvironment, watch: StoreWatch) {
    this.#environment = environment;
    this.#watch = watch;
    this.#from = watch.state.number;
  }

  get bytes(): number {
    return entryBytes * (this.#changes.length + (this.#applied?.size ?? 0));
  }

  /** Forgets all changes up to a number. */
  restart(from: number): void {
    this.#changes = [];
    this.#from = from;
    this.#applied = null;
  }

  /** @param version the number of the environment's last change in the state */
  note(entries: readonly ChangeLogEntry[], state: PinnedState, version: number): void {
    const added = entries
      .filter(({ number }) => number > this.#last)
      .flatMap((entry) => this.#changeOf(entry));
    this.#changes.push(...added);
    for (const { flag } of added) if (flag !== null) this.#reapply(flag, state, version);
    if (this.#changes.length <= changesKept) return;
    const dropped = this.#changes.splice(0, this.#changes.length - changesKept);
    this.#from = dropped.at(-1)?.number ?? this.#from;
  }

  get #last(): number {
    return Math.max(this.#from, this.#changes.at(-1)?.number ?? 0);
  }

  #changeOf({ kind, projectId, id, number }: ChangeLogEntry): Change[] {
    if (projectId !== this.#environment.projectId || id === projectId || kind === 'everything') return [];
    return [kind === 'flag' ? { number, flag: id, audience: null } : { number, flag: null, audience: id }];
  }

  #reapply(flag: string, state: PinnedState, version: number): void {
    if (this.#applied === null) return;
    const unapplied = this.#applied.set(flag, audienceOfFlag(state, this.#environment, flag));
    if (unapplied !== null) this.#noteUnapplied(unapplied, version);
  }

  /** No flag applies the audience any more, but a client may still have it. */
  #noteUnapplied(audience: string, version: number): void {
    this.#changes.push({ number: Math.max(version, this.#last), flag: null, audience });
  }

  /** Whether every change after the number is known. */
  reaches(number: number): boolean {
    return number >= this.#from;
  }

  /** Whether `prepare` can still find what came after the number. */
  mayReach(number: number): boolean {
    return number > this.#unreachable;
  }

  /** @returns the number of the first change after a number; null: none */
  firstAfter(number: number): number | null {
    return this.#changes[this.#indexAfter(number)]?.number ?? null;
  }

  /** @returns the index of the first change with a greater number */
  #indexAfter(number: number): number {
    let [from, to] = [0, this.#changes.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#changes[middle] as Change).number > number) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Only after `prepare`. */
  after(number: number): ChangedSet {
    const changed = { flags: new Set<string>(), audiences: new Set<string>(), unapplied: new Set<string>() };
    for (const { flag, audience } of this.#changes.slice(this.#indexAfter(number))) {
      if (flag !== null) changed.flags.add(flag);
      if (audience !== null) changed[this.#applied?.has(audience) ? 'audiences' : 'unapplied'].add(audience);
    }
    return changed;
  }

  /** Finds the changes after a number. Afterwards `reaches` says whether all of them were found. */
  *prepare(number: number): Generator<undefined, void> {
    if (!this.reaches(number)) yield* this.#search(number);
    if (this.reaches(number) && this.#applied === null) yield* this.#readApplied();
  }

  /** Searches the change log for changes that are older than the remembered ones. */
  *#search(number: number): Generator<undefined, void> {
    const state = this.#watch.state.retain();
    const from = this.#from;
    const found: ChangeLogEntry[] = [];
    let searched = 0;
    /** Every change after `oldest - 1` was found. */
    let oldest = Number.POSITIVE_INFINITY;
    try {
      for (const entry of state.snapshot.sync.newestChanges()) {
        const isEnough = entry.number <= number;
        // A client from before a change of the project may have another environment, whose name this one has now.
        const isOfProject = entry.id === this.#environment.projectId;
        const isLost = entry.kind === 'everything' || isOfProject || searched === entriesSearched;
        if (isEnough || isLost) {
          oldest = isEnough ? number : Number.POSITIVE_INFINITY;
          break;
        }
        oldest = entry.number;
        searched += 1;
        if (entry.projectId === this.#environment.projectId && entry.number <= from) found.push(entry);
        yield;
      }
    } finally {
      state.release();
    }
    // `restart` may have run between two steps of the search.
    if (this.#from !== from) return;
    const isComplete = oldest === number || oldest === number + 1;
    if (!isComplete || found.length + this.#changes.length > changesKept) {
      this.#unreachable = Math.max(this.#unreachable, number);
      return;
    }
    this.#changes.unshift(...found.reverse().flatMap((entry) => this.#changeOf(entry)));
    this.#from = number;
    if (this.#applied !== null) this.#noteAllUnapplied(this.#applied);
  }

  *#readApplied(): Generator<undefined, void> {
    const { projectId } = this.#environment;
    const before = this.#watch.state.retain();
    const applied = new AppliedAudiences();
    try {
      for (const found of before.snapshot.evaluation.flagsOf(projectId)) {
        const flag = found.read();
        applied.set(flag.id, audienceIn(flag, this.#environment));
        yield;
      }
    } finally {
      before.release();
    }
    if (!this.reaches(before.number)) return;
    const { state } = this.#watch;
    for (const flag of this.after(before.number).flags) {
      applied.set(flag, audienceOfFlag(state, this.#environment, flag));
    }
    this.#applied = applied;
    this.#noteAllUnapplied(applied);
  }

  /** The change log does not say which audiences the flags applied before, so every unapplied one counts as changed. */
  #noteAllUnapplied(applied: AppliedAudiences): void {
    const { projectId, environmentNumber } = this.#environment;
    const { sync, queries } = this.#watch.state.snapshot;
    const version = sync.versionOf(projectId, environmentNumber);
    for (const { id } of queries.audienceNamesOf(projectId)) {
      if (!applied.has(id)) this.#noteUnapplied(id, version);
    }
  }
}
