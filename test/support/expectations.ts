import { setTimeout } from 'node:timers/promises';

/** @throws Error with the message unless the condition is true */
export function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(message);
}

/** Whether a function throws an error of this class. For loops that collect failures and assert once. */
export function throwsA(errorClass: new (...words: never[]) => Error, action: () => unknown): boolean {
  try {
    action();
  } catch (error) {
    return error instanceof errorClass;
  }
  return false;
}

/** Waits until the condition is true. @throws Error with the message when the time is up */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
  message: string,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${message} within ${withinMs} ms`);
    await setTimeout(5);
  }
}

/** @returns the promise's result. @throws Error with the message when the time is up */
export async function within<T>(promise: Promise<T>, timeoutMs: number, message: () => string): Promise<T> {
  const timeout = new AbortController();
  const overdue = setTimeout(timeoutMs, null, { signal: timeout.signal }).then(
    () => {
      throw new Error(`within ${timeoutMs} ms: ${message()}`);
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    timeout.abort();
  }
}

/** @param percentile 0 to 100 */
export function percentileOf(values: readonly number[], percentile: number): number {
  const sorted = Float64Array.from(values).sort();
  const index = Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100));
  return sorted[index] ?? Number.NaN;
}
