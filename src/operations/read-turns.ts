import { widestNetwork } from '../support/address-networks.ts';
import type { Tenant } from '../support/fair-share.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { TenantTurns } from '../support/tenant-turns.ts';
import type { ApiReply } from './api-reply.ts';
import type { HeadCheck } from './call.ts';
import { overloaded } from './refuse-undecided.ts';

/** Reads of one turn of the event loop that begin as soon as they are asked for take about so long. */
const atOnceMsMax = 1;
/** Reads that wait are made for at most so long between two polls of the sockets, or for this part of a longer turn. */
const sliceMs = 0.25;
const sliceMsMax = 2;
const turnShare = 0.5;
/** Of one turn of the event loop, to find out for whose turns its reads wait. */
const tenantMsMax = 0.5;

/** A request's reading, made once. */
export interface Reading {
  run(): void;
  /** For whose turn it waits; null: it may not wait, and was refused. Asked once, and only if it waits. */
  tenant(): Tenant | null;
  /**
   * The same until its tenant is asked for: its address. Null: it cannot wait so, and its tenant is asked for at once, as
   * where this is absent because the tenant is known already.
   */
  stranger?(): Tenant | null;
  /** Its request's deadline has passed before its turn. */
  refuseLate(): void;
}

/**
 * Makes the reads of both APIs. Most take a small part of a millisecond, some several, and each connection may have one
 * in the same turn of the event loop: without a bound, hundreds together would hold up evaluations for seconds. So
 * those beyond a millisecond wait: organisations take turns, and within one its projects do. To find out whose turn it
 * is may take longer than a short read: beyond a part of a millisecond, that waits in the turn of the address.
 */
export class ReadTurns {
  readonly #deadlineMs: number;
  readonly #waiting = new TenantTurns<{ readonly begin: () => void }>();
  #usedMs = 0;
  #tenantMs = 0;
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
      const find = (): void => {
        if (monotonicMs() - askedAt >= this.#deadlineMs) {
          begin();
          return;
        }
        try {
          const tenant = reading.tenant();
          if (tenant === null) resolve();
          else this.#waiting.add(tenant, { begin });
        } catch (fault) {
          reject(fault);
        }
      };
      const stranger = this.#tenantMs < tenantMsMax ? null : (reading.stranger?.() ?? null);
      if (stranger === null) {
        const startedAt = monotonicMs();
        find();
        this.#tenantMs += monotonicMs() - startedAt;
      } else this.#waiting.add(stranger, { begin: find });
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
    this.#tenantMs = 0;
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

/** The account of all that nobody known has sent. No organisation has this name. */
const strangers = '';

/**
 * For what nobody known has sent: addresses take turns, an IPv6 /48 as one, and all of them together have a turn beside
 * each organisation.
 */
export function addressTenant(limitKey: string): Tenant {
  return { projectId: widestNetwork(limitKey), accountId: strangers };
}

/** The turn of a request whose asker is not looked up yet. @returns null: there is no place for it among strangers */
export function strangerTenant(reply: ApiReply): Tenant | null {
  return reply.takePlace(null) ? addressTenant(reply.request.limitKey) : null;
}

/**
 * The turn of a request that has to wait, for which it takes a place of its asker's share.
 * @returns null: there is none, and it was refused
 */
export function readingTenant(reply: ApiReply, check: HeadCheck): Tenant | null {
  if (reply.exchange.isOver) return null;
  const asker = 'asker' in check ? check.asker : null;
  if (!reply.takePlace(asker)) {
    reply.refuseUnavailable(overloaded);
    return null;
  }
  if (asker === null) return addressTenant(reply.request.limitKey);
  return { projectId: asker.project ?? asker.asker, accountId: asker.organisation };
}
