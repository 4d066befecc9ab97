/** Whatever ends in order: a test, a campaign, one of its cases. tap's `Test` is one. */
export interface Lifetime {
  /** Ends are called in the reverse order of their registration. */
  teardown(end: () => unknown): void;
}

/** Runs with a lifetime of its own, which is over when the promise settles. */
export async function withLifetime<T>(run: (lifetime: Lifetime) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await run({ teardown: (end) => ends.unshift(end) });
  } finally {
    for (const end of ends) await end();
  }
}
