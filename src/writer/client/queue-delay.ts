/**
 * Estimates how long a command will wait that joins a queue now, from the length of the queue and the writer's speed.
 * The speed is measured while more commands wait than one group takes. For a queue that is settled in order, in groups.
 */
export class QueueDelay {
  /** Older samples weigh less than 1 / e. While the samples cover less time than this, the estimate is lower. */
  readonly #rememberedMs: number;
  #depth = 0;
  /** When commands were last settled, or one joined an empty queue. */
  #since = 0;
  /** Time and number of the last commands, weighted in favour of the newest. */
  #busyMs = 0;
  #settled = 0;

  /** @param rememberedMs milliseconds of the writer's work over which the speed is measured */
  constructor(rememberedMs: number) {
    this.#rememberedMs = rememberedMs;
  }

  get depth(): number {
    return this.#depth;
  }

  /** @param now milliseconds of the monotonic clock, as in all methods here */
  join(now: number): void {
    if (this.#depth === 0) this.#since = now;
    this.#depth += 1;
  }

  /** @param areMoreWaiting commands were left in the queue: the group had its largest size */
  settle(count: number, now: number, areMoreWaiting: boolean): void {
    // A longer time is not the commands' own: the disk stood still, or the writer ran an operator's command.
    const tookMs = Math.min(now - this.#since, this.#rememberedMs);
    this.#depth -= count;
    this.#since = now;
    // A group that emptied the queue is no sample of the writer's speed: it could have been larger. It counts only if
    // it shows a faster writer.
    if (!areMoreWaiting && tookMs * this.#settled >= this.#busyMs * count) return;
    const kept = Math.exp(-tookMs / this.#rememberedMs);
    this.#busyMs = this.#busyMs * kept + tookMs;
    this.#settled = this.#settled * kept + count;
  }

  /** Milliseconds until a command is settled that joins now. 0 without samples. */
  get expectedMs(): number {
    if (this.#settled === 0) return 0;
    const known = Math.min(1, this.#busyMs / this.#rememberedMs);
    return ((this.#depth + 1) * this.#busyMs * known) / this.#settled;
  }
}
