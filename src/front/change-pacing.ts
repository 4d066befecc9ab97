/** A worker whose event loop is busy for more than this share of the time counts as busy. */
const busyUtilisation = 0.5;
/** With fewer evaluations than this for each change, it is the changes that keep the worker busy. */
const evaluationsPerChange = 10;

/** Events counted since the start. */
export interface WorkDone {
  readonly evaluations: number;
  readonly changes: number;
}

/**
 * Tells the workers through shared memory while evaluations need the processor: changes then get a share of it
 * (`HeldCommands`).
 */
export class ChangePacing {
  /** One cell: 1 while changes have to be paced. */
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #cell = new Int32Array(this.memory);
  #seen: WorkDone = { evaluations: 0, changes: 0 };

  /**
   * Compares the counts with those of the last call.
   * @param utilisation of the busiest worker's event loop since the last call, 0 to 1
   * @returns whether there were changes
   */
  look(work: WorkDone, utilisation: number): boolean {
    const evaluations = work.evaluations - this.#seen.evaluations;
    const changes = work.changes - this.#seen.changes;
    this.#seen = work;
    const isPaced = utilisation > busyUtilisation && evaluations > changes * evaluationsPerChange;
    Atomics.store(this.#cell, 0, isPaced ? 1 : 0);
    return changes > 0;
  }
}
