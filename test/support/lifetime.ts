/** The lifetime of a test, a campaign or one of its cases, with clean-ups at its end. tap's `Test` is one. */
export interface Lifetime {
  /** Clean-ups run in the reverse order of their registration. */
  teardown(end: () => unknown): void;
}

/** Runs a function with a lifetime of its own, which ends when the promise settles. */
export async function withLifetime<T>(run: (lifetime: Lifetime) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await run({ teardown: (end) => ends.unshift(end) });
  } finally {
    for (const end of ends) await end();
  }
}
