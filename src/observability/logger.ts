import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import type { CallerIds } from '../support/caller-ids.ts';

export type { Logger };

const flushTimeoutMs = 1000;
const infoLevel = pino.levels.values['info'];
/** Options of every thread's log. */
export const loggerOptions = { base: null, redact: ['authorization', '*.authorization'] };

/**
 * The client: a token in the Management API and in sync, a member in the console; null if it is anonymous.
 */
type AskerOfLine =
  | { readonly tokenId: string | null; readonly memberId?: undefined }
  | { readonly memberId: string | null; readonly tokenId?: undefined };

/** The log's fields of a request: a fixed list, none of which can hold a secret. */
interface LineFields {
  readonly requestId: string;
  readonly method: string;
  readonly route: string | null;
  /** 0 when the client went away before its answer. */
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly outcome: string | undefined;
  /** Bounded, and without characters that need an escape. */
  readonly callerIds: CallerIds;
}

type RequestLine = LineFields & AskerOfLine;

export type LogRequest = (line: RequestLine) => void;

/** The log, written by the main thread only: JSON lines on standard output. It never waits for a reader. */
export interface MainLog {
  readonly log: Logger;
  /** Writes lines as they are: those of another thread, or text for people. Each ends with a line feed. */
  writeLines(lines: string): void;
  /**
   * Writes what is buffered, within a timeout: a reader of the log that has stopped reading must not keep the
   * process alive.
   * @returns whether nothing is left: it was written, or there is no reader
   */
  flush(): Promise<boolean>;
  /**
   * Flushes for the last time; nothing may be logged afterwards.
   * @returns whether the process can end by itself, even if the reader of the log has stopped
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
  const { requestId, tokenId, memberId, method, route, status, durationMs, address, outcome, callerIds } =
    line;
  const text = JSON.stringify({
    level: infoLevel,
    time: Date.now(),
    requestId,
    tokenId,
    memberId,
    method,
    route,
    status,
    durationMs,
    address,
    outcome,
    traceId: callerIds.traceId,
    clientRequestId: callerIds.clientRequestId,
    msg: memberId === undefined ? 'request' : 'console request',
  });
  return `${text}\n`;
}

const standardOutput = 1;
/** Opens the pipe a second time: flags of this descriptor do not affect processes that share the first. */
const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK;
/** Must be above 0: with 0 the destination reports its flush as done before anything is written. */
const writtenBytesMin = 1;
/**
 * Bytes that may wait for a slow reader of the log. Further lines are dropped, so that no request is delayed.
 */
const bufferedBytesMax = 4 * 1024 * 1024;

/** A destination of the log that never waits for its reader. */
interface LogOutput {
  /** Whole lines, each with its line feed. */
  write(lines: string): void;
  /**
   * Resolves when everything is written, or the reader has gone. It may never resolve if the reader has
   * stopped.
   */
  written(): Promise<void>;
  /**
   * Drops what is not written yet. Nothing may be written afterwards.
   * @returns whether the process can end by itself, which it cannot while a thread waits for a stopped reader
   */
  letGo(): boolean;
}

function openLogOutput(): LogOutput {
  const socket = openSocket();
  return socket === null ? fileOutput() : socketOutput(socket);
}

/** @returns null when the standard output is neither a pipe nor a socket, or cannot be used as one */
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

/** Writes on the event loop. No thread waits for the reader, so the process can always end. */
function socketOutput(socket: Socket): LogOutput {
  // A reader that goes away must not end the service.
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

/** Writes in a thread of Node's pool, which blocks while the reader does not read. */
function fileOutput(): LogOutput {
  const destination = pino.destination({
    dest: standardOutput,
    sync: false,
    minLength: writtenBytesMin,
    maxLength: bufferedBytesMax,
  });
  // pino flushes synchronously after a fatal line and at exit. That would wait for ever for a stopped reader,
  // and retry for ever without one.
  destination.on('error', () => undefined);
  destination.flushSync = () => undefined;
  let isWritten = true;
  return {
    write(lines) {
      isWritten = false;
      destination.write(lines);
    },
    // Only the sync that follows can fail: a terminal has none.
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
