import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { openLogOutput } from './log-output.ts';

export type { Logger };

const flushTimeoutMs = 1000;
const infoLevel = pino.levels.values['info'];
/** Of every thread's log. */
export const loggerOptions = { base: null, redact: ['authorization', '*.authorization'] };

/** What the log says of a Management API request: fixed fields, and none of them can hold a secret. */
export interface RequestLine {
  readonly requestId: string;
  readonly tokenId: string | null;
  readonly method: string;
  readonly route: string | null;
  /** 0 when the client went away before its answer. */
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly outcome: string | undefined;
}

export type LogRequest = (line: RequestLine) => void;

/** The log, which the main thread alone writes: JSON lines on standard output that wait for no reader. */
export interface MainLog {
  readonly log: Logger;
  /** Writes lines of another thread, or for people, each with its line feed, as they are. */
  writeLines(lines: string): void;
  /**
   * Writes what is buffered. Bounded: a reader of the log that has stopped reading must not keep the process.
   * @returns whether nothing waits any more: it was written, or nobody can read it
   */
  flush(): Promise<boolean>;
  /**
   * Flushes for the last time; nothing is logged afterwards.
   * @returns whether the process can end by itself, whatever the reader of the log does
   */
  end(): Promise<boolean>;
}

export function createMainLog(level: string): MainLog {
  const output = openLogOutput();
  const flush = async (): Promise<boolean> => {
    const overdue = new AbortController();
    const timeout = setTimeout(flushTimeoutMs, false, { signal: overdue.signal }).catch(() => false);
    const isWritten = await Promise.race([output.written().then(() => true), timeout]);
    overdue.abort();
    return isWritten;
  };
  return {
    log: pino({ level, ...loggerOptions }, output),
    writeLines: (lines) => output.write(lines),
    flush,
    end: async () => {
      await flush();
      return output.letGo();
    },
  };
}

/** The line as pino would write it, in a fifth of the time. */
export function requestText(line: RequestLine): string {
  const { requestId, tokenId, method, route, status, durationMs, address, outcome } = line;
  const text = JSON.stringify({
    level: infoLevel,
    time: Date.now(),
    requestId,
    tokenId,
    method,
    route,
    status,
    durationMs,
    address,
    outcome,
    msg: 'request',
  });
  return `${text}\n`;
}
