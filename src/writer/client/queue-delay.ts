/**
 * How long a command will wait that joins a queue now: from how many wait there, and how fast the writer has settled the
 * last ones while more waited than it took at once. For a queue that is settled in its order, in groups.
 */
export class QueueDelay {
  /** What is older weighs less than 1 / e. As long as less is known, less is expected. */
  readonly #rememberedMs: number;
  #depth = 0;
  /** When one was settled last, or came to an empty queue. */
  #since = 0;
  /** Of the last commands, in which the newest weigh most: what they took together, and how many they were. */
  #busyMs = 0;
  #settled = 0;

  /** @param rememberedMs of the writer's time, in milliseconds: what it did within is taken for its speed */
  constructor(rememberedMs: number) {
    this.#rememberedMs = rememberedMs;
  }

  get depth(): number {
    return this.#depth;
  }

  /** @param now of the monotonic clock, in milliseconds, as everywhere here */
  join(now: number): void {
    if (this.#depth === 0) this.#since = now;
    this.#depth += 1;
  }

  /** @param areMoreWaiting the writer left some that had come: the group was as large as it takes them */
  settle(count: number, now: number, areMoreWaiting: boolean): void {
    // A longer silence is not of the commands: the disk stood still, or an operator's command had the writer.
    const tookMs = Math.min(now - this.#since, this.#rememberedMs);
    this.#depth -= count;
    this.#since = now;
    // A writer that took all that waited could have taken more in the same time: that tells of a fast writer, never of a slow one.
    if (!areMoreWaiting && tookMs * this.#settled >= this.#busyMs * count) return;
    const kept = Math.exp(-tookMs / this.#rememberedMs);
    this.#busyMs = this.#busyMs * kept + tookMs;
    this.#settled = this.#settled * kept + count;
  }

  /** Milliseconds until a command is settled that would join now. 0 while nothing is known. */
  get expectedMs(): number {
    if (this.#settled === 0) return 0;
    const known = Math.min(1, this.#busyMs / this.#rememberedMs);
    return ((this.#depth + 1) * this.#busyMs * known) / this.#settled;
  }
}
