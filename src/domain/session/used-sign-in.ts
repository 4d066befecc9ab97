/** How long a person may stay at the OpenID provider. */
export const pendingLifetimeMs = 10 * 60 * 1000;

/** A sign-in at the OpenID provider that a session has begun with: it begins no other. */
export interface UsedSignIn {
  /** 32 bytes: SHA-256 of its state. */
  readonly stateHash: Uint8Array;
  /** Unix milliseconds. */
  readonly begunAt: number;
}

/** Whether a sign-in can still be finished. Clocks of nodes may differ: one that seems to begin later is as good. */
export function isPending({ begunAt }: Pick<UsedSignIn, 'begunAt'>, now: number): boolean {
  return Math.abs(now - begunAt) < pendingLifetimeMs;
}

/** @returns sign-ins that began before need not be known any more: no clock takes them for pending */
export function forgetUsedBefore(now: number): number {
  return now - 2 * pendingLifetimeMs;
}
