/** The attempts with an outbox entry. An entry that was never tried has none. */
export interface OutboxDelivery {
  readonly attempts: number;
  /** Unix milliseconds. */
  readonly nextAttemptAt: number;
  /** Recipients to whom it need not be sent again: their server accepted the mail, or refused it permanently. */
  readonly settledMemberIds: readonly string[];
  /** When it was given up; null while it is retried. */
  readonly failedAt: number | null;
  /** The last fault, in the words of the mail server or the connection. */
  readonly fault: string;
}

/** The result of an attempt that did not settle the entry. */
export interface OutboxAttempt {
  readonly at: number;
  readonly fault: string;
  /** Recipients that this attempt settled. */
  readonly settledMemberIds: readonly string[];
  /** Another attempt would fail as well. */
  readonly isPermanent: boolean;
}

export const attemptsMax = 12;
const firstBackOffMs = 30_000;
/** With `attemptsMax` this makes some seven hours. */
export const backOffMaxMs = 60 * 60 * 1000;
const faultLengthMax = 300;

/** The delivery after one more attempt: the pause doubles, up to an hour, and in the end the entry is given up. */
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

/** No ended attempt has this time: it marks one that is in progress. */
const underWayAt = 0;

/**
 * The delivery while a node of a cluster sends the letter. If that node never reports a result, it is unknown whether
 * it was sent, and it counts as given up: "at most once" is the rule.
 * @param by the sender
 */
export function beginAttempt(before: OutboxDelivery | undefined, by: string, now: number): OutboxDelivery {
  return {
    attempts: before?.attempts ?? 0,
    nextAttemptAt: underWayAt,
    settledMemberIds: before?.settledMemberIds ?? [],
    failedAt: now,
    fault: by,
  };
}

/** @returns the sender that took it, which may have ended without reporting the outcome; null: it was not taken */
export function whoSends(delivery: OutboxDelivery | undefined): string | null {
  return delivery?.nextAttemptAt === underWayAt ? delivery.fault : null;
}

/** @returns whether it may be tried now. A clock that was ahead and was set back delays it no longer than that. */
export function isAttemptDue(delivery: OutboxDelivery | undefined, now: number): boolean {
  if (delivery === undefined) return true;
  if (delivery.failedAt !== null) return false;
  return now >= delivery.nextAttemptAt || delivery.nextAttemptAt - now > backOffMaxMs;
}
