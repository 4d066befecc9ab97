import { monotonicMs } from '../support/monotonic-clock.ts';

interface Window {
  readonly startedAt: number;
  count: number;
}

export interface WindowLimiterOptions {
  /** Events that a window takes; 0 switches the limiter off. */
  readonly limit: number;
  readonly windowMs: number;
  /** Addresses that are remembered; beyond it the least recently seen is forgotten. */
  readonly addressesMax: number;
  /** On a clock that never goes backwards. */
  readonly now: () => number;
}

const defaults = { windowMs: 60_000, addressesMax: 100_000, now: monotonicMs };

/** Counts events per address in fixed windows, each from the address's first event. */
export class WindowLimiter {
  readonly #options: WindowLimiterOptions;
  /** Least recently seen first. */
  readonly #windows = new Map<string, Window>();

  constructor(limit: number, options: Partial<WindowLimiterOptions> = {}) {
    this.#options = { ...defaults, limit, ...options };
  }

  get addressCount(): number {
    return this.#windows.size;
  }

  /** Counts an event. @returns whether it is within the limit */
  take(address: string): boolean {
    const { limit, addressesMax, now } = this.#options;
    if (limit === 0) return true;
    const window = this.#current(address) ?? { startedAt: now(), count: 0 };
    this.#windows.delete(address);
    this.#windows.set(address, window);
    if (this.#windows.size > addressesMax) this.#forgetOldest();
    if (window.count >= limit) return false;
    window.count += 1;
    return true;
  }

  /** An event that was taken does not count after all. */
  giveBack(address: string): void {
    const window = this.#current(address);
    if (window !== undefined && window.count > 0) window.count -= 1;
  }

  /** @returns whether the window is full, counting nothing */
  isFull(address: string): boolean {
    const { limit } = this.#options;
    return limit > 0 && (this.#current(address)?.count ?? 0) >= limit;
  }

  /** @returns whole seconds, at least 1, until the address's window ends */
  retryAfterSeconds(address: string): number {
    const window = this.#current(address);
    if (window === undefined) return 1;
    const leftMs = window.startedAt + this.#options.windowMs - this.#options.now();
    return Math.max(1, Math.ceil(leftMs / 1000));
  }

  #current(address: string): Window | undefined {
    const window = this.#windows.get(address);
    if (window === undefined) return undefined;
    const isOver = this.#options.now() - window.startedAt >= this.#options.windowMs;
    return isOver ? undefined : window;
  }

  #forgetOldest(): void {
    const oldest = this.#windows.keys().next();
    if (oldest.done !== true) this.#windows.delete(oldest.value);
  }
}
