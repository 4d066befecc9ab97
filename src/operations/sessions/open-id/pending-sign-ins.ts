/** Secrets of a sign-in that only the browser which began it, and this service, know. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A sign-in whose browser is at the provider and has yet to return. */
export interface PendingSignIn extends SignInProof {
  /** Also in a cookie of the browser that began it, so that no other can finish it. */
  readonly browserSecret: string;
  /** The secret of the one-time link with which it began. */
  readonly linkSecret: string | null;
  /** The page of the console to open then. */
  readonly back: string;
  /** The address that the attempt counts for, until it succeeds. */
  readonly limitKey: string;
}

export const pendingLifetimeMs = 10 * 60 * 1000;
const pendingMax = 10_000;

/** Sign-ins that have begun, in memory: each can be finished once, and the oldest are dropped for new ones. */
export class PendingSignIns {
  /** By state; the oldest first. */
  readonly #pending = new Map<string, { readonly signIn: PendingSignIn; readonly endsAt: number }>();
  readonly #max: number;

  constructor(max = pendingMax) {
    this.#max = max;
  }

  /** @param now monotonic, milliseconds */
  add(signIn: PendingSignIn, now: number): void {
    for (const [state, { endsAt }] of this.#pending) {
      if (now < endsAt && this.#pending.size < this.#max) break;
      this.#pending.delete(state);
    }
    this.#pending.set(signIn.state, { signIn, endsAt: now + pendingLifetimeMs });
  }

  /** @returns the sign-in of this state and browser, which is then no longer pending; null when there is none. */
  take(state: string, browserSecret: string | null, now: number): PendingSignIn | null {
    const found = this.#pending.get(state);
    if (found === undefined || found.signIn.browserSecret !== browserSecret) return null;
    this.#pending.delete(state);
    return now < found.endsAt ? found.signIn : null;
  }
}
