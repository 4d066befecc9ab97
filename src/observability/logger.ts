import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { GatheredLines } from './gathered-lines.ts';

export type { Logger };

const standardOutput = 1;
/** Above 0: with 0 the destination calls its flush done before anything is written. */
const writtenBytesMin = 1;
/** Lines that wait for a slow reader of the log; beyond it lines are dropped, rather than requests delayed. */
const bufferedBytesMax = 4 * 1024 * 1024;
const flushTimeoutMs = 1000;
const options = { base: null, redact: ['authorization', '*.authorization'] };

/** The log of the main thread: JSON lines on standard output that never wait for whoever reads them. */
export interface MainLog {
  readonly log: Logger;
  /**
   * For the line that every request leaves: gathered for a moment, and written together. They hold fixed fields, none of
   * them secret, so nothing is looked for that should be hidden.
   */
  readonly requestLog: Logger;
  /**
   * Writes what is buffered. Bounded: a reader of the log that has stopped reading must not keep the process.
   * @returns whether nothing waits any more: it was written, or nobody can read it
   */
  flush(): Promise<boolean>;
}

export function createMainLog(level: string): MainLog {
  const destination = pino.destination({
    dest: standardOutput,
    sync: false,
    minLength: writtenBytesMin,
    maxLength: bufferedBytesMax,
  });
  // A reader that went away must not end the service, and not keep it either: pino flushes synchronously after a fatal
  // line and when the process exits, which waits for ever for a reader that stopped, and tries for ever where none is.
  destination.on('error', () => undefined);
  destination.flushSync = () => undefined;
  const gathered = new GatheredLines((lines) => destination.write(lines));
  const inOrder = {
    write: (line: string): void => {
      gathered.handOn();
      destination.write(line);
    },
  };
  return {
    log: pino({ level, ...options }, inOrder),
    requestLog: pino({ level, base: null }, gathered),
    flush: async () => {
      gathered.handOn();
      // Its fault, if any, is of the sync that follows: a pipe has none.
      const written = new Promise<boolean>((resolve) => destination.flush(() => resolve(true)));
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
