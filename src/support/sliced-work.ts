/** Work that is done in steps of some tens of microseconds each, whatever there is to do. */
export interface SlicedWork {
  /** Memory that is kept for as long as it waits. */
  readonly heldBytes: number;
  /** @returns whether there is more to do */
  step(): boolean;
}

/** Takes work that can wait. */
export interface WorkQueue {
  /** @returns false when there is no room for it: it has to do without, and may ask again later */
  add(work: SlicedWork): boolean;
}
