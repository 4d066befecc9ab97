import { monotonicMs } from './monotonic-clock.ts';
import type { SlicedWork, WorkQueue } from './steps.ts';

/** Deferred work that the owner of an event loop does between events: in the order of arrival, and bounded. */
export class SliceQueue implements WorkQueue {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #waiting = new Set<SlicedWork>();
  #bytes = 0;

  readonly #onWork: () => void;

  /**
   * @param bytesMax memory that waiting work may hold
   * @param onWork called when work arrives in an empty queue: `run` must then be called until it returns false
   */
  constructor(countMax: number, bytesMax: number, onWork: () => void = () => undefined) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
    this.#onWork = onWork;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(work: SlicedWork): boolean {
    if (this.#waiting.has(work)) return true;
    if (this.#waiting.size >= this.#countMax || this.#bytes + work.heldBytes > this.#bytesMax) return false;
    this.#waiting.add(work);
    this.#bytes += work.heldBytes;
    if (this.#waiting.size === 1) this.#onWork();
    return true;
  }

  /**
   * Makes at least one step, and more until the time is over; the last step may exceed it.
   * @returns whether there is more to do
   */
  run(budgetMs: number): boolean {
    const end = monotonicMs() + budgetMs;
    for (const work of this.#waiting) {
      while (this.#step(work)) if (monotonicMs() >= end) return true;
      if (monotonicMs() >= end) break;
    }
    return !this.isEmpty;
  }

  /** Work that throws is dropped. */
  #step(work: SlicedWork): boolean {
    let isMore = false;
    try {
      isMore = work.step();
    } finally {
      if (!isMore) {
        this.#waiting.delete(work);
        this.#bytes -= work.heldBytes;
      }
    }
    return isMore;
  }
}
