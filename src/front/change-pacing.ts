/** Above this share of its time a worker counts as busy. */
const busyUtilisation = 0.5;
/** Fewer evaluations than this for each change, and it is the changes that keep it busy. */
const evaluationsPerChange = 10;

/** What was counted since the start. */
export interface WorkDone {
  readonly evaluations: number;
  readonly changes: number;
}

/** Tells the workers, in shared memory, while evaluations need the processor: changes then share it (`HeldCommands`). */
export class ChangePacing {
  /** One cell: 1 while changes are to be paced. */
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #cell = new Int32Array(this.memory);
  #seen: WorkDone = { evaluations: 0, changes: 0 };

  /**
   * Looks at what was done since the last look.
   * @param utilisation of the busiest worker's event loop since the last look, 0 to 1
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
