/** What has been tried with an outbox entry. One that was never tried has none. */
export interface OutboxDelivery {
  readonly attempts: number;
  /** Unix milliseconds. */
  readonly nextAttemptAt: number;
  /** Recipients that need nothing more: their server took the mail, or refused it for good. */
  readonly settledMemberIds: readonly string[];
  /** When it was given up; null while it is tried again. */
  readonly failedAt: number | null;
  /** What went wrong last, as the mail server or the connection said it. */
  readonly fault: string;
}

/** How an attempt went that did not settle the entry. */
export interface OutboxAttempt {
  readonly at: number;
  readonly fault: string;
  /** Recipients that this attempt settled. */
  readonly settledMemberIds: readonly string[];
  /** Trying again would end the same. */
  readonly isPermanent: boolean;
}

/** The newest entries that are kept, sent or not: beyond them the oldest goes. */
export const outboxEntriesMax = 10_000;
export const attemptsMax = 12;
const firstBackOffMs = 30_000;
/** With `attemptsMax` that makes some seven hours. */
export const backOffMaxMs = 60 * 60 * 1000;
const faultLengthMax = 300;

/** The delivery after one more attempt: tried again after twice the time, up to an hour, and given up in the end. */
export function afterAttempt(before: OutboxDelivery | undefined, attempt: OutboxAttempt): OutboxDelivery {
  const attempts = (before?.attempts ?? 0) + 1;
  const backOffMs = Math.min(firstBackOffMs * 2 ** Math.min(attempts - 1, 30), backOffMaxMs);
  const settled = new Set([...(before?.settledMemberIds ?? []), ...attempt.settledMemberIds]);
  return {
    attempts,
    nextAttemptAt: attempt.at + backOffMs,
    settledMemberIds: [...settled],
    failedAt: attempt.isPermanent || attempts >= attemptsMax ? attempt.at : null,
    fault: attempt.fault.slice(0, faultLengthMax).replace(/\p{Cc}|\p{Surrogate}/gu, ' '),
  };
}

/** @returns whether it may be tried now. A clock that was ahead and has gone back does not hold it up for longer than that. */
export function isAttemptDue(delivery: OutboxDelivery | undefined, now: number): boolean {
  if (delivery === undefined) return true;
  if (delivery.failedAt !== null) return false;
  return now >= delivery.nextAttemptAt || delivery.nextAttemptAt - now > backOffMaxMs;
}
