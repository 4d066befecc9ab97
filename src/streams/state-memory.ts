/** An environment, as the memory of its events sees it. */
export interface MemoryUser {
  /** Drops what no stream is sending. It can be made again. */
  dropIdle(): void;
  /**
   * Drops its oldest event, and ends the streams that are sending it.
   * @param isNewestToo whether this may be an event of the newest state. @returns whether there was one
   */
  cutOldest(isNewestToo: boolean): boolean;
}

/**
 * Bounds the memory of a thread for the events of all environments. When it is used up, environments drop events, the one
 * with most bytes first: first events that no stream is sending, then events of old states, whose clients are slow, then
 * events of the newest state. The environment that has just made an event keeps those of the newest state.
 */
export class StateMemory {
  readonly #bytesMax: number;
  readonly #used = new Map<MemoryUser, number>();
  #usedBytes = 0;
  #isShrinking = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @param bytes all that the user has now */
  set(user: MemoryUser, bytes: number): void {
    this.#usedBytes += bytes - (this.#used.get(user) ?? 0);
    if (bytes > 0) this.#used.set(user, bytes);
    else this.#used.delete(user);
    if (this.#isShrinking || this.#fits) return;
    this.#isShrinking = true;
    try {
      this.#shrink(user);
    } finally {
      this.#isShrinking = false;
    }
  }

  get #fits(): boolean {
    return this.#usedBytes <= this.#bytesMax;
  }

  #shrink(latest: MemoryUser): void {
    const users = [...this.#used].sort(([, one], [, other]) => other - one).map(([user]) => user);
    for (const user of users) {
      if (this.#fits) return;
      user.dropIdle();
    }
    for (const isNewestToo of [false, true]) {
      for (const user of users) {
        if (isNewestToo && user === latest) continue;
        while (!this.#fits && user.cutOldest(isNewestToo));
      }
    }
  }
}
