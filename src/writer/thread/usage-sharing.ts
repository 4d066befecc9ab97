import type { CountRow, ReplicaCalls } from '../../cluster/client/replica-protocol.ts';
import { type EvaluationCount, hourMs, hourOf, hoursKept } from '../../domain/usage/evaluation-count.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import type { FlagHour, UsageShares } from '../../storage/replica/usage-shares.ts';
import type { Store } from '../../storage/store.ts';
import { isIdShaped } from '../../support/id-shape.ts';

/** Flags whose counts wait to be told, in their hours. Beyond it, all that lies in the store is told once. */
const untoldMax = 50_000;
/** Counts of others that one commit adds. */
const addedAtOnce = 500;

/** What the other nodes have yet to be told of this one's counts. All of it lies in the store: a process that dies tells it later. */
export class UsageSharing {
  readonly #store: Store;
  readonly #shares: UsageShares;
  readonly #requireRoom: RequireRoom;
  readonly #id: string;
  readonly #untold = new Map<string, FlagHour>();
  /** How far the store was gone through; null when all of it was. At the start nobody knows what was told. */
  #sweep: { hour: number; after: string | null } | null = null;

  /** @param requireRoom as for `Store.write` */
  constructor(store: Store, shares: UsageShares, requireRoom: RequireRoom) {
    this.#store = store;
    this.#requireRoom = requireRoom;
    this.#shares = shares;
    this.#id = shares.begin();
    this.tellAgain();
  }

  /** Goes through all that lies in the store. */
  tellAgain(): void {
    this.#untold.clear();
    this.#sweep = { hour: hourOf(Date.now()) - (hoursKept - 1) * hourMs, after: null };
  }

  /** They were counted, and are in the store. */
  note({ hour, flagId }: FlagHour): void {
    if (this.#untold.size >= untoldMax) this.tellAgain();
    else this.#untold.set(keyOf({ hour, flagId }), { hour, flagId });
  }

  /** @returns what is to be told next; `note` it if it could not be told */
  take(max: number): ReplicaCalls['takeUsage']['result'] {
    const counts: CountRow[] = [];
    const taken = new Set<string>();
    while (counts.length < max) {
      const next = this.#next();
      if (next === null) break;
      // What was counted while the store is gone through is found in both.
      const key = keyOf(next);
      if (taken.has(key)) continue;
      taken.add(key);
      const of = this.#shares.of(next);
      if (counts.length > 0 && counts.length + of.length > max) {
        this.note(next);
        break;
      }
      counts.push(...of.slice(0, max));
    }
    return { id: this.#id, counts };
  }

  #next(): FlagHour | null {
    for (const [key, next] of this.#untold) {
      this.#untold.delete(key);
      return next;
    }
    while (this.#sweep !== null) {
      const { hour, after } = this.#sweep;
      const [flagId] = this.#shares.flagsOf(hour, after, 1);
      if (flagId !== undefined) {
        this.#sweep.after = flagId;
        return { hour, flagId };
      }
      this.#sweep = hour >= hourOf(Date.now()) ? null : { hour: hour + hourMs, after: null };
    }
    return null;
  }

  /** What the others have counted. */
  add(counts: readonly CountRow[]): void {
    const readable = counts.filter(isReadable);
    for (let from = 0; from < readable.length; from += addedAtOnce) {
      const some = readable.slice(from, from + addedAtOnce);
      this.#store.write(
        ({ apply }) => apply(some.map((count) => ({ kind: 'other-evaluations', count }) as const)),
        this.#requireRoom,
      );
    }
  }
}

function keyOf({ hour, flagId }: FlagHour): string {
  return `${hour}/${flagId}`;
}

function isReadable({ hour, flagId, environmentNumber }: EvaluationCount): boolean {
  return hour % hourMs === 0 && isIdShaped(flagId) && Number.isSafeInteger(environmentNumber);
}
