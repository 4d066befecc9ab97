/** Above this share of its time a worker counts as busy. */
const busyUtilisation = 0.5;
/** Fewer evaluations than this for each change, and it is the changes that keep it busy. */
const evaluationsPerChange = 10;

/** What was counted since the start. */
export interface WorkDone {
  readonly evaluations: number;
  readonly changes: number;
}

/** Tells whether evaluations need the processor: changes then share it sparingly (`HeldCommands`). */
export class EvaluationPressure {
  #seen: WorkDone = { evaluations: 0, changes: 0 };

  /**
   * Looks at what was done since the last look.
   * @param utilisation of the busiest worker's event loop since the last look, 0 to 1
   */
  look(work: WorkDone, utilisation: number): boolean {
    const evaluations = work.evaluations - this.#seen.evaluations;
    const changes = work.changes - this.#seen.changes;
    this.#seen = work;
    return utilisation > busyUtilisation && evaluations > changes * evaluationsPerChange;
  }
}
