/** A person's signed-in browser. The secret is in the cookie only; here is its SHA-256. */
export interface Session {
  readonly id: string;
  readonly memberId: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  /** Updated at most once in `sessionTouchMs`, so that reading the console writes little. */
  readonly lastSeenAt: number;
  /** The address and browser with which it was opened, for the list of sessions. */
  readonly address: string;
  readonly userAgent: string;
}

/** A session ends after this time without a request, and at the latest this long after sign-in. */
export const sessionIdleMs = 12 * 60 * 60 * 1000;
export const sessionLifetimeMs = 14 * 24 * 60 * 60 * 1000;
export const sessionTouchMs = 5 * 60 * 1000;

/** Ended means now ≥ either limit. A clock that was set back ends no session. */
export function isSessionOver(session: Session, now: number): boolean {
  return now - session.lastSeenAt >= sessionIdleMs || now - session.createdAt >= sessionLifetimeMs;
}

/** @returns when the session ends if it is no longer used. */
export function sessionEndsAt({ createdAt, lastSeenAt }: Session): number {
  return Math.min(lastSeenAt + sessionIdleMs, createdAt + sessionLifetimeMs);
}

/** @returns whether the session should be marked as seen: at most once in `sessionTouchMs`. */
export function needsTouch(session: Session, now: number): boolean {
  return now - session.lastSeenAt >= sessionTouchMs;
}
