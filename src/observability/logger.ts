import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';

export type { Logger };

const flushTimeoutMs = 1000;
const infoLevel = pino.levels.values['info'];
/** Of every thread's log. */
export const loggerOptions = { base: null, redact: ['authorization', '*.authorization'] };

/** What the log says of a Management API request: fixed fields, and none of them can hold a secret. */
interface RequestLine {
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

const standardOutput = 1;
/** A pipe is opened once more: nothing changes for processes that share the other opening of it. */
const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK;
/** Above 0: with 0 the destination calls its flush done before anything is written. */
const writtenBytesMin = 1;
/** Lines that wait for a slow reader of the log; beyond it lines are dropped, rather than requests delayed. */
const bufferedBytesMax = 4 * 1024 * 1024;

/** Where the log goes: it waits for no reader. */
interface LogOutput {
  /** Whole lines, each with its line feed. */
  write(lines: string): void;
  /** Resolves when everything is written, or nobody can read it any more; maybe never, where a reader stands still. */
  written(): Promise<void>;
  /**
   * Drops what is not written. Nothing is written afterwards.
   * @returns whether the process can end by itself: not while a thread waits for a reader that stands still
   */
  letGo(): boolean;
}

function openLogOutput(): LogOutput {
  const socket = openSocket();
  return socket === null ? fileOutput() : socketOutput(socket);
}

/** @returns null where the standard output is neither a pipe nor a socket, or cannot be used as one */
function openSocket(): Socket | null {
  let opened: number | null = null;
  try {
    const found = fstatSync(standardOutput);
    if (found.isFIFO()) opened = openSync(`/proc/self/fd/${standardOutput}`, withoutWaiting);
    else if (!found.isSocket()) return null;
    return new Socket({ fd: opened ?? standardOutput, readable: false, writable: true });
  } catch {
    if (opened !== null) closeSync(opened);
    return null;
  }
}

/** Written on the event loop: no thread ever waits for the reader, so the process can end without it. */
function socketOutput(socket: Socket): LogOutput {
  // A reader that went away must not end the service.
  socket.on('error', () => undefined);
  socket.unref();
  return {
    write(lines) {
      if (!socket.writable || socket.writableLength + lines.length > bufferedBytesMax) return;
      socket.write(lines);
    },
    written: () =>
      new Promise((resolve) => {
        if (!socket.writable || socket.writableLength === 0) resolve();
        else socket.write('', () => resolve());
      }),
    letGo() {
      socket.destroy();
      return true;
    },
  };
}

/** Written by a thread of Node's pool, which waits where the reader does. */
function fileOutput(): LogOutput {
  const destination = pino.destination({
    dest: standardOutput,
    sync: false,
    minLength: writtenBytesMin,
    maxLength: bufferedBytesMax,
  });
  // pino flushes synchronously after a fatal line and when the process exits, which waits for ever for a reader that
  // stopped, and tries for ever where none is.
  destination.on('error', () => undefined);
  destination.flushSync = () => undefined;
  let isWritten = true;
  return {
    write(lines) {
      isWritten = false;
      destination.write(lines);
    },
    // Its fault, if any, is of the sync that follows: a terminal has none.
    written: () =>
      new Promise((resolve) =>
        destination.flush(() => {
          isWritten = true;
          resolve();
        }),
      ),
    letGo: () => isWritten,
  };
}
