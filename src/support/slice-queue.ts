import { monotonicMs } from './monotonic-clock.ts';
import type { SlicedWork, WorkQueue } from './steps.ts';

/** Work that can wait, for the owner of an event loop to do between events: first come, first done, and bounded. */
export class SliceQueue implements WorkQueue {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #waiting = new Set<SlicedWork>();
  #bytes = 0;

  readonly #onWork: () => void;

  /**
   * @param bytesMax of what waiting work holds in memory
   * @param onWork told when work comes to an empty queue: `run` is to be called until it says that nothing waits
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
   * Makes at least one step, and others until the time is over, which the last one may exceed by its own length.
   * @returns whether more waits
   */
  run(budgetMs: number): boolean {
    const end = monotonicMs() + budgetMs;
    for (const work of this.#waiting) {
      while (this.#step(work)) if (monotonicMs() >= end) return true;
      if (monotonicMs() >= end) break;
    }
    return !this.isEmpty;
  }

  /** Work that throws is over. */
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
