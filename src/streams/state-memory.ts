/** What holds memory for streams: an environment with its events. */
export interface MemoryHolder {
  /** Drops what no stream is sending. It can be made again. */
  dropIdle(): void;
  /**
   * Drops its oldest event, and ends the streams that are sending it.
   * @param isNewestToo whether this may be an event of the newest state. @returns whether there was one
   */
  cutOldest(isNewestToo: boolean): boolean;
}

/**
 * Bounds the memory of a thread for the events of all environments. When it is used up, the environment that holds most
 * gives memory back: first what no stream is sending, then events of old states, whose clients are slow, then newest ones. The
 * environment that has just got an event keeps its newest ones.
 */
export class StateMemory {
  readonly #bytesMax: number;
  readonly #held = new Map<MemoryHolder, number>();
  #heldBytes = 0;
  #isShrinking = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @param bytes all that the holder has now */
  set(holder: MemoryHolder, bytes: number): void {
    this.#heldBytes += bytes - (this.#held.get(holder) ?? 0);
    if (bytes > 0) this.#held.set(holder, bytes);
    else this.#held.delete(holder);
    if (this.#isShrinking || this.#fits) return;
    this.#isShrinking = true;
    try {
      this.#shrink(holder);
    } finally {
      this.#isShrinking = false;
    }
  }

  get #fits(): boolean {
    return this.#heldBytes <= this.#bytesMax;
  }

  #shrink(latest: MemoryHolder): void {
    const holders = [...this.#held].sort(([, one], [, other]) => other - one).map(([holder]) => holder);
    for (const holder of holders) {
      if (this.#fits) return;
      holder.dropIdle();
    }
    for (const isNewestToo of [false, true]) {
      for (const holder of holders) {
        if (isNewestToo && holder === latest) continue;
        while (!this.#fits && holder.cutOldest(isNewestToo));
      }
    }
  }
}
