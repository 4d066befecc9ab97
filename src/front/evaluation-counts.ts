import { type EvaluationCount, hourOf } from '../domain/usage/evaluation-count.ts';
import type { CountedEvaluations } from '../evaluator/evaluation-tallies.ts';

/** Different flags, environments and hours that are held at once; of what more there is only the number is told. */
export const countsHeldMax = 50_000;
const idLength = 20;

/** Adds up what the workers have counted, until it is recorded. */
export class EvaluationCounts {
  readonly #held = new Map<string, EvaluationCount>();
  readonly #onUncounted: (evaluations: number) => void;

  /** @param onUncounted is told of evaluations that found no room. */
  constructor(onUncounted: (evaluations: number) => void) {
    this.#onUncounted = onUncounted;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** @param now Unix milliseconds: an evaluation belongs to the hour in which it is added. */
  add({ flagIds, numbers }: CountedEvaluations, now: number): void {
    const hour = hourOf(now);
    for (let index = 0; index * idLength < flagIds.length; index += 1) {
      const flagId = flagIds.slice(index * idLength, (index + 1) * idLength);
      const [environmentNumber = 0, on = 0, off = 0] = numbers.subarray(index * 3, index * 3 + 3);
      this.#add({ hour, flagId, environmentNumber, on, off });
    }
  }

  /** @returns at most so many of them, and no longer holds them */
  take(max: number): readonly EvaluationCount[] {
    const taken: EvaluationCount[] = [];
    for (const [key, count] of this.#held) {
      if (taken.length === max) break;
      taken.push(count);
      this.#held.delete(key);
    }
    return taken;
  }

  /** What was taken could not be recorded: it is to be taken again. */
  putBack(counts: readonly EvaluationCount[]): void {
    for (const count of counts) this.#add(count);
  }

  #add(count: EvaluationCount): void {
    const key = `${count.hour}/${count.flagId}/${count.environmentNumber}`;
    const held = this.#held.get(key);
    if (held === undefined && this.#held.size >= countsHeldMax) {
      this.#onUncounted(count.on + count.off);
      return;
    }
    const { on, off } = held ?? { on: 0, off: 0 };
    this.#held.set(key, { ...count, on: on + count.on, off: off + count.off });
  }
}
