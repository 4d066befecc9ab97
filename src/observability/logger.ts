import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';

export type { Logger };

const standardOutput = 1;
/** Lines that wait for a slow reader of the log; beyond it lines are dropped, rather than requests delayed. */
const bufferedBytesMax = 4 * 1024 * 1024;
const flushTimeoutMs = 1000;
const options = { base: null, redact: ['authorization', '*.authorization'] };

/** The log of the main thread: JSON lines on standard output that never wait for whoever reads them. */
export interface MainLog {
  readonly log: Logger;
  /**
   * Writes what is buffered. Bounded: a reader of the log that has stopped reading must not keep the process.
   * @returns whether all of it was written
   */
  flush(): Promise<boolean>;
}

export function createMainLog(level: string): MainLog {
  const destination = pino.destination({ dest: standardOutput, sync: false, maxLength: bufferedBytesMax });
  // A reader that went away must not end the service.
  destination.on('error', () => undefined);
  const log = pino({ level, ...options }, destination);
  return {
    log,
    flush: async () => {
      const written = new Promise<boolean>((resolve) => destination.flush((fault) => resolve(!fault)));
      const overdue = new AbortController();
      const timeout = setTimeout(flushTimeoutMs, false, { signal: overdue.signal }).catch(() => false);
      const isWritten = await Promise.race([written, timeout]);
      overdue.abort();
      return isWritten;
    },
  };
}

/**
 * The log of a worker thread: written synchronously, because an evaluator runs no event loop, and because a line must be
 * out before what it tells of ends the thread. Workers log faults and little else.
 */
export function createThreadLog(level: string): Logger {
  return pino({ level, ...options }, pino.destination({ dest: standardOutput, sync: true }));
}
