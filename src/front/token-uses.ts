import type { TokenUse } from '../domain/token/token-use.ts';

/** Different uses that are held at once; of what more there is only the number is told, until these are taken. */
export const usesHeldMax = 1000;

/**
 * Gathers what tokens are used for, in memory: requests that do the same are one entry, with their number. Nothing waits
 * for it, and a process that is killed loses the last few seconds.
 */
export class TokenUses {
  readonly #held = new Map<string, TokenUse>();
  readonly #onUncounted: (uses: number) => void;

  /** @param onUncounted is told of uses that found no room. */
  constructor(onUncounted: (uses: number) => void) {
    this.#onUncounted = onUncounted;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** @returns everything that was gathered since the last call */
  take(): readonly TokenUse[] {
    const uses = [...this.#held.values()];
    this.#held.clear();
    return uses;
  }

  /** What was taken could not be recorded: it is to be taken again. */
  putBack(uses: readonly TokenUse[]): void {
    for (const use of uses) this.add(use);
  }

  /** Requests of a token were answered. */
  add(use: TokenUse): void {
    const key = JSON.stringify([use.tokenId, use.route, use.environment, use.address]);
    const held = this.#held.get(key);
    if (held === undefined && this.#held.size >= usesHeldMax) {
      this.#onUncounted(use.count);
      return;
    }
    const count = use.count + (held?.count ?? 0);
    this.#held.set(key, { ...use, at: Math.max(use.at, held?.at ?? 0), count });
  }
}
