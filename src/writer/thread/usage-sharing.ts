import type { ReplicaCalls } from '../../cluster/client/replica-protocol.ts';
import { type EvaluationCount, hourMs, hourOf, hoursKept } from '../../domain/usage/evaluation-count.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import type { FlagHour, UsageShares } from '../../storage/replica/usage-shares.ts';
import type { Store } from '../../storage/store.ts';
import { isIdShaped } from '../../support/id-shape.ts';

/** The most flags, by hour, whose counts wait to be sent. Beyond it, all counts in the store are sent once. */
const unsentMax = 50_000;
/** Counts of other nodes that one commit adds. */
const addedAtOnce = 500;

/** This node's counts that other nodes do not have yet. All of them are in the store, so a process that dies sends them later. */
export class UsageSharing {
  readonly #store: Store;
  readonly #shares: UsageShares;
  readonly #requireRoom: RequireRoom;
  readonly #id: string;
  readonly #unsent = new Map<string, FlagHour>();
  /** How far the counts in the store were sent; null: all of them. At the start it is unknown which were sent before. */
  #sweep: { hour: number; after: string | null } | null = null;

  /** @param requireRoom as for `Store.write` */
  constructor(store: Store, shares: UsageShares, requireRoom: RequireRoom) {
    this.#store = store;
    this.#requireRoom = requireRoom;
    this.#shares = shares;
    this.#id = shares.begin();
    this.sendAgain();
  }

  /** Makes `take` return all counts in the store again. */
  sendAgain(): void {
    this.#unsent.clear();
    this.#sweep = { hour: hourOf(Date.now()) - (hoursKept - 1) * hourMs, after: null };
  }

  /** Notes counts that are in the store and must be sent. */
  note({ hour, flagId }: FlagHour): void {
    if (this.#unsent.size >= unsentMax) this.sendAgain();
    else this.#unsent.set(keyOf({ hour, flagId }), { hour, flagId });
  }

  /** @returns the counts to send next; the caller must `note` them again if they could not be sent */
  take(max: number): ReplicaCalls['takeUsage']['result'] {
    const counts: EvaluationCount[] = [];
    const taken = new Set<string>();
    while (counts.length < max) {
      const next = this.#next();
      if (next === null) break;
      // Counts that were added during a sweep are both in `#unsent` and in the sweep.
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
    for (const [key, next] of this.#unsent) {
      this.#unsent.delete(key);
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

  /** Adds the counts of other nodes. */
  add(counts: readonly EvaluationCount[]): void {
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
