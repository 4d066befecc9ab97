import type { Tenant } from '../support/fair-share.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { TenantTurns } from '../support/tenant-turns.ts';
import type { HeadCheck } from './call.ts';

/** Reads of one turn of the event loop that begin as soon as they are asked for take about so long. */
const atOnceMsMax = 1;
/** Reads that wait are made for at most so long between two polls of the sockets, or for this part of a longer turn. */
const sliceMs = 0.25;
const sliceMsMax = 2;
const turnShare = 0.5;

/** A request's reading, made once. */
export interface Reading {
  run(): void;
  /** For whose turn it waits. Asked only if it does. */
  tenant(): Tenant;
  /** Its request's deadline has passed before its turn. */
  refuseLate(): void;
}

/**
 * Makes the reads of both APIs. Most take a small part of a millisecond, some several, and each connection may have one
 * in the same turn of the event loop: without a bound, hundreds together would hold up evaluations for seconds. So
 * those beyond a millisecond wait: organisations take turns, and within one its projects do.
 */
export class ReadTurns {
  readonly #deadlineMs: number;
  readonly #waiting = new TenantTurns<{ readonly begin: () => void }>();
  #usedMs = 0;
  #isScheduled = false;
  #scheduledAt = 0;

  /** @param deadlineMs a read that has waited for so long is not made any more */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /**
   * @returns undefined: it was made. Otherwise it resolves when it was, or is too late, and rejects with what it throws
   */
  make(reading: Reading): Promise<void> | undefined {
    this.#schedule();
    if (this.#waiting.size === 0 && this.#usedMs < atOnceMsMax) {
      const startedAt = monotonicMs();
      reading.run();
      this.#usedMs += monotonicMs() - startedAt;
      return undefined;
    }
    const askedAt = monotonicMs();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        try {
          if (monotonicMs() - askedAt < this.#deadlineMs) reading.run();
          else reading.refuseLate();
          resolve();
        } catch (fault) {
          reject(fault);
        }
      };
      this.#waiting.add(reading.tenant(), { begin });
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduledAt = monotonicMs();
    setImmediate(() => this.#turnOver());
  }

  #turnOver(): void {
    this.#isScheduled = false;
    this.#usedMs = 0;
    const startedAt = monotonicMs();
    const turnMs = startedAt - this.#scheduledAt;
    const untilMs = startedAt + Math.min(sliceMsMax, Math.max(sliceMs, turnMs * turnShare));
    do this.#waiting.take()?.begin();
    while (this.#waiting.size > 0 && monotonicMs() < untilMs);
    if (this.#waiting.size > 0) this.#schedule();
  }
}

/** The refusal of a read whose turn comes too late. */
export const readTooLate = 'The service has more to read than it can in time. Retry in a moment.';

/** For what nobody known has sent: an address has turns of its own. */
export function addressTenant(limitKey: string): Tenant {
  return { projectId: limitKey, accountId: null };
}

/** @param limitKey of the address, for a request that nobody known has sent */
export function readingTenant(check: HeadCheck, limitKey: string): Tenant {
  const asker = 'asker' in check ? check.asker : null;
  if (asker === null) return addressTenant(limitKey);
  return { projectId: asker.project ?? asker.asker, accountId: asker.organisation };
}
