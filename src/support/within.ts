import { setTimeout } from 'node:timers/promises';

/**
 * Waits for work, for a limited time. @returns whether the work was done in time. The work continues either way.
 * Rejects if the work does.
 */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const timeout = setTimeout(timeoutMs, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    over.abort();
  }
}
