/** What only the browser that began a sign-in, and this service, know of it. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A browser is at the provider, and is to come back. */
export interface PendingSignIn extends SignInProof {
  /** In a cookie of the browser that began it: no other can finish it. */
  readonly browserSecret: string;
  /** Of the one-time link that it began with. */
  readonly linkSecret: string | null;
  /** The page of the console to go to then. */
  readonly back: string;
  /** Whose attempt it is, until it is right. */
  readonly limitKey: string;
}

export const pendingLifetimeMs = 10 * 60 * 1000;
const pendingMax = 10_000;

/** Sign-ins that have begun, in memory: each can be finished once, and the oldest make room. */
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

  /** @returns the sign-in of this state and browser, which is not pending any more; null when there is none. */
  take(state: string, browserSecret: string | null, now: number): PendingSignIn | null {
    const found = this.#pending.get(state);
    if (found === undefined || found.signIn.browserSecret !== browserSecret) return null;
    this.#pending.delete(state);
    return now < found.endsAt ? found.signIn : null;
  }
}
