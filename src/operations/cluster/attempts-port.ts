/** How often something was attempted on all nodes within its window. */
export interface CountedAttempts {
  readonly key: string;
  /** Including the one that was just counted. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsLeft: number;
}

/** The calls of a sign-in to the counts of all nodes of a cluster. */
export interface AttemptsPort {
  /**
   * Counts an attempt for each key.
   * @param windowMs of a window that begins now
   * @returns null: PostgreSQL does not answer in time, or too many calls are in flight
   */
  count(keys: readonly string[], windowMs: number): Promise<readonly CountedAttempts[] | null>;
  /** Takes back what was counted. Resolves also when that could not be done: the window ends by itself. */
  giveBack(keys: readonly string[]): Promise<null>;
}
