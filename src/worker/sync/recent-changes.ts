import type { SyncQueries } from '../../storage/sync-queries.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import type { ChangedSet } from './sync-content.ts';

/** Changes of an environment that are remembered: a client that missed more gets a snapshot. */
const changesKept = 4000;
/** Entries of the change log that are searched for what a client missed while it was away: some tens of milliseconds. */
const entriesSearched = 10_000;
/** Entries that are read in one step. */
const entriesOfStep = 100;

/** What has changed. */
interface Change {
  readonly number: number;
  readonly flag: string | null;
  readonly audience: string | null;
}

const nothingAsked = { number: Number.NaN, of: 0, key: '' };

/** What has changed for an environment since some number, oldest first. Complete from there on. */
export class RecentChanges {
  readonly #projectId: string;
  #changes: Change[] = [];
  /** Every change after this number is in the list. */
  #from: number;
  /** The last answer of `keyAfter`, as long as no change came or was dropped. */
  #asked = nothingAsked;

  constructor(projectId: string, from: number) {
    this.#projectId = projectId;
    this.#from = from;
  }

  get size(): number {
    return this.#changes.length;
  }

  /** @param changes of the change log, oldest first; those that are known are passed over */
  add(changes: readonly ChangeLogEntry[]): readonly string[] {
    const last = Math.max(this.#from, this.#changes.at(-1)?.number ?? 0);
    const added = changes.filter(({ number }) => number > last).flatMap((entry) => this.#changeOf(entry));
    this.#changes.push(...added);
    this.#trim();
    return added.flatMap(({ flag }) => (flag === null ? [] : [flag]));
  }

  /** No flag applies the audience any more: a client may still have it. */
  noteUnapplied(number: number, audience: string): void {
    this.#changes.push({ number: Math.max(number, this.#changes.at(-1)?.number ?? 0), flag: null, audience });
    this.#trim();
  }

  /** Nothing is known of changes before this number. */
  restart(from: number): void {
    this.#changes = [];
    this.#from = from;
    this.#asked = nothingAsked;
  }

  #trim(): void {
    if (this.#changes.length <= changesKept) return;
    const dropped = this.#changes.splice(0, this.#changes.length - changesKept);
    this.#from = dropped.at(-1)?.number ?? this.#from;
    this.#asked = nothingAsked;
  }

  #changeOf({ kind, projectId, id, number }: ChangeLogEntry): Change[] {
    if (projectId !== this.#projectId || id === projectId || kind === 'everything') return [];
    return [kind === 'flag' ? { number, flag: id, audience: null } : { number, flag: null, audience: id }];
  }

  /** Whether every change after the number is known. */
  reaches(number: number): boolean {
    return number >= this.#from;
  }

  /** @returns a key of what has changed after a number: the same for the same changes; null when that is not known */
  keyAfter(number: number): string | null {
    if (number < this.#from) return null;
    // Of thousands of streams, nearly all ask for the same.
    if (this.#asked.number !== number || this.#asked.of !== this.#changes.length) {
      const first = this.#changes[this.#firstAfter(number)];
      this.#asked = { number, of: this.#changes.length, key: `${first?.number ?? 'none'}` };
    }
    return this.#asked.key;
  }

  /** @returns the place of the first change with a greater number */
  #firstAfter(number: number): number {
    let [from, to] = [0, this.#changes.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#changes[middle] as Change).number > number) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  after(number: number): ChangedSet {
    const flags = new Set<string>();
    const audiences = new Set<string>();
    for (const change of this.#changes.slice(this.#firstAfter(number))) {
      if (change.flag !== null) flags.add(change.flag);
      if (change.audience !== null) audiences.add(change.audience);
    }
    return { flags, audiences };
  }

  /**
   * Searches the change log for what came after an older number, some entries in each step.
   * @returns whether everything since is known now
   */
  *search(sync: SyncQueries, number: number): Generator<string, boolean> {
    if (number >= this.#from) return true;
    const from = this.#from;
    const found: ChangeLogEntry[] = [];
    let [searched, oldest] = [0, Number.POSITIVE_INFINITY];
    for (const entry of sync.newestChanges()) {
      if (entry.number <= number) {
        oldest = number;
        break;
      }
      oldest = entry.number;
      searched += 1;
      if (entry.kind === 'everything' || searched > entriesSearched) return false;
      if (entry.projectId === this.#projectId && entry.number <= from) found.push(entry);
      if (searched % entriesOfStep === 0) yield '';
    }
    // Another search may have been quicker.
    if (number >= this.#from) return true;
    // Changes that were remembered when it began may have been forgotten meanwhile, and were not searched for.
    if (this.#from !== from) return false;
    const isComplete = oldest === number || oldest === number + 1;
    if (!isComplete || found.length + this.#changes.length > changesKept) return false;
    this.#changes = [...found.reverse().flatMap((entry) => this.#changeOf(entry)), ...this.#changes];
    this.#from = number;
    return true;
  }
}
