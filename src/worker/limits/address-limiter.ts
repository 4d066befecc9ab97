import { widerKeys, widerNetworks } from '../../support/address-networks.ts';
import { WindowLimiter, type WindowLimiterOptions, type WindowMemory } from './window-limiter.ts';

/**
 * Counts events by `limitKey`: an IPv4 address, or the /64 of an IPv6 one, which counts for the networks around it too.
 * All are in one memory, because their keys differ.
 */
export class AddressLimiter {
  readonly #narrow: WindowLimiter;
  readonly #wide: readonly WindowLimiter[];

  constructor(memory: WindowMemory, limit: number, options: Partial<WindowLimiterOptions> = {}) {
    this.#narrow = new WindowLimiter(memory, limit, options);
    this.#wide = widerNetworks.map(({ times }) => new WindowLimiter(memory, times * limit, options));
  }

  /** Counts an event. @returns whether it is within every limit; otherwise it counts for none */
  take(limitKey: string): boolean {
    if (!this.#narrow.take(limitKey)) return false;
    const keys = widerKeys(limitKey);
    const full = keys.findIndex((key, index) => !this.#wideAt(index).take(key));
    if (full < 0) return true;
    this.#narrow.giveBack(limitKey);
    for (const [index, key] of keys.slice(0, full).entries()) this.#wideAt(index).giveBack(key);
    return false;
  }

  /** Takes back the count of an event. */
  giveBack(limitKey: string): void {
    this.#narrow.giveBack(limitKey);
    for (const [index, key] of widerKeys(limitKey).entries()) this.#wideAt(index).giveBack(key);
  }

  /** @returns whether a window is full, without counting */
  isFull(limitKey: string): boolean {
    return (
      this.#narrow.isFull(limitKey) ||
      widerKeys(limitKey).some((key, index) => this.#wideAt(index).isFull(key))
    );
  }

  /** @returns whole seconds, at least 1, until no window of the key is full */
  retryAfterSeconds(limitKey: string): number {
    const seconds = widerKeys(limitKey).map((key, index) => {
      const limiter = this.#wideAt(index);
      return limiter.isFull(key) ? limiter.retryAfterSeconds(key) : 1;
    });
    const isNarrowFull = seconds.length === 0 || this.#narrow.isFull(limitKey);
    return Math.max(1, ...seconds, isNarrowFull ? this.#narrow.retryAfterSeconds(limitKey) : 1);
  }

  #wideAt(index: number): WindowLimiter {
    return this.#wide[index] as WindowLimiter;
  }
}

/** The limits that an event of an address counts for: its own, and those of the networks around it. */
export function addressLimits(
  limitKey: string,
  limit: number,
): readonly { readonly key: string; readonly limit: number }[] {
  const wider = widerKeys(limitKey).map((key, index) => ({
    key,
    limit: (widerNetworks[index]?.times ?? 1) * limit,
  }));
  return [{ key: limitKey, limit }, ...wider];
}
