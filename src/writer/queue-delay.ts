/** The last commands, of which the writer's speed is taken. */
const remembered = 32;
/** A longer silence is not of the commands: the disk stood still, or an operator's command had the writer. */
const silenceMsMax = 250;

/**
 * How long a command will wait that joins a queue now: from how many wait there, and how fast the writer has settled the
 * last ones while there were any. For a queue that is settled in its order.
 */
export class QueueDelay {
  #depth = 0;
  /** When one was settled last, or came to an empty queue. */
  #since = 0;
  /** Sums of the last commands, in which the newest weigh most. */
  #busyMs = 0;
  #settled = 0;

  get depth(): number {
    return this.#depth;
  }

  /** @param now of the monotonic clock, in milliseconds, as everywhere here */
  join(now: number): void {
    if (this.#depth === 0) this.#since = now;
    this.#depth += 1;
  }

  settle(count: number, now: number): void {
    const kept = (1 - 1 / remembered) ** count;
    this.#busyMs = this.#busyMs * kept + Math.min(now - this.#since, silenceMsMax);
    this.#settled = this.#settled * kept + count;
    this.#depth -= count;
    this.#since = now;
  }

  /** Milliseconds until a command is settled that would join now. 0 while nothing is known. */
  get expectedMs(): number {
    return this.#settled === 0 ? 0 : ((this.#depth + 1) * this.#busyMs) / this.#settled;
  }
}
