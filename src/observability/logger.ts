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
const infoLevel = pino.levels.values['info'];
const options = { base: null, redact: ['authorization', '*.authorization'] };

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

/** The log of the main thread: JSON lines on standard output that never wait for whoever reads them. */
export interface MainLog {
  readonly log: Logger;
  /** Logs the line that a request leaves: gathered for a moment with others, and written together. */
  readonly logRequest: LogRequest;
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
  const log = pino({ level, ...options }, inOrder);
  return {
    log,
    logRequest: (line) => {
      if (log.isLevelEnabled('info')) gathered.write(requestText(line));
    },
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

/** The line as pino would write it, in a fifth of the time. */
function requestText(line: RequestLine): string {
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
