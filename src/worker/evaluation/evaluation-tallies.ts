import type { EvaluationTally } from '../../domain/usage/evaluation-count.ts';

/** Counts of answers since the last message, by flag and environment. Ids have 20 characters, and no separator. */
export interface CountedEvaluations {
  readonly flagIds: string;
  /** The id of each flag's project. */
  readonly projectIds: string;
  /** For each flag: the environment's number, how often it was on, how often off. */
  readonly numbers: Float64Array;
}

/** How often the counts are sent. */
export const collectIntervalMs = 10_000;
/** The most tallies in one message: to read them takes a fraction of a millisecond. */
export const talliesOfMessage = 1000;
/** Tallies with counts since the last collection; a further one starts a collection early. */
const notedMax = 50_000;

/**
 * Counts how often each flag was on and off. Counting is an addition to the flag's own tally; the first one since a
 * collection notes the tally, so that a collection touches only flags that were evaluated.
 */
export class EvaluationTallies {
  #noted: EvaluationTally[] = [];
  #collecting: EvaluationTally[] = [];
  #collectedAt = 0;

  count(tally: EvaluationTally, isOn: boolean): void {
    if (tally.on === 0 && tally.off === 0) this.#noted.push(tally);
    if (isOn) tally.on += 1;
    else tally.off += 1;
  }

  /**
   * @param now on a clock that never goes back. @returns a bounded part of what is due to be sent; null: nothing is due
   */
  collect(now: number): CountedEvaluations | null {
    if (this.#collecting.length === 0) {
      const isDue = now - this.#collectedAt >= collectIntervalMs || this.#noted.length >= notedMax;
      if (!isDue || this.#noted.length === 0) return null;
      this.#collectedAt = now;
      this.#collecting = this.#noted;
      this.#noted = [];
    }
    return this.#take();
  }

  /** @returns the next part of all counts, due or not; null at the end */
  collectRest(): CountedEvaluations | null {
    if (this.#collecting.length === 0) {
      this.#collecting = this.#noted;
      this.#noted = [];
    }
    return this.#collecting.length === 0 ? null : this.#take();
  }

  #take(): CountedEvaluations {
    const tallies = this.#collecting.splice(-talliesOfMessage);
    const numbers = new Float64Array(tallies.length * 3);
    let [flagIds, projectIds] = ['', ''];
    for (const [index, tally] of tallies.entries()) {
      flagIds += tally.flagId;
      projectIds += tally.projectId;
      numbers.set([tally.environmentNumber, tally.on, tally.off], index * 3);
      tally.on = 0;
      tally.off = 0;
    }
    return { flagIds, projectIds, numbers };
  }
}
