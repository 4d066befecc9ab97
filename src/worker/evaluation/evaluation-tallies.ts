import type { EvaluationTally } from '../../domain/usage/evaluation-count.ts';

/** Answers since the last message of the kind, flag by flag and environment by environment. */
export interface CountedEvaluations {
  /** 20 characters each, without anything in between. */
  readonly flagIds: string;
  /** For each: its environment's number, how often it was on, how often off. */
  readonly numbers: Float64Array;
}

/** How often what was counted is sent. */
export const collectIntervalMs = 10_000;
/** Tallies that one message holds: reading so many takes a fraction of a millisecond. */
export const talliesOfMessage = 1000;
/** Tallies that have counted since the last collection; beyond it they are collected early. */
const notedMax = 50_000;

/**
 * Which flags were evaluated, and how often they were on and off. Counting is an addition to the flag's own tally; the
 * first one since a collection notes the tally, so that a collection touches no flag that nobody asked for.
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

  /** @param now on a clock that never goes back. @returns what is due to be sent, a bounded part; null: nothing is */
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

  /** @returns the next part of all that was counted, due or not; null at the end */
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
    let flagIds = '';
    for (const [index, tally] of tallies.entries()) {
      flagIds += tally.flagId;
      numbers.set([tally.environmentNumber, tally.on, tally.off], index * 3);
      tally.on = 0;
      tally.off = 0;
    }
    return { flagIds, numbers };
  }
}
