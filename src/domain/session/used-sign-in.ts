/** How long a person may stay at the OpenID provider. */
export const pendingLifetimeMs = 10 * 60 * 1000;

/** A sign-in at the OpenID provider that a session has begun with: it begins no other. */
export interface UsedSignIn {
  /** 32 bytes: SHA-256 of its state. */
  readonly stateHash: Uint8Array;
  /** Unix milliseconds. */
  readonly begunAt: number;
}

/** Whether a sign-in can still be finished. Clocks of nodes may differ: a sign-in that seems to begin later is accepted too. */
export function isPending({ begunAt }: Pick<UsedSignIn, 'begunAt'>, now: number): boolean {
  return Math.abs(now - begunAt) < pendingLifetimeMs;
}

/** @returns a time: sign-ins that began before it may be forgotten, because no node's clock counts them as pending */
export function forgetUsedBefore(now: number): number {
  return now - 2 * pendingLifetimeMs;
}
