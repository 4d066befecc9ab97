import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino } from 'pino';

const standardOutput = 1;
/** A pipe is opened once more: nothing changes for whoever shares the other opening of it. */
const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK;
/** Above 0: with 0 the destination calls its flush done before anything is written. */
const writtenBytesMin = 1;
/** Lines that wait for a slow reader of the log; beyond it lines are dropped, rather than requests delayed. */
const bufferedBytesMax = 4 * 1024 * 1024;

/** Where the log goes: it waits for no reader. */
export interface LogOutput {
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

export function openLogOutput(): LogOutput {
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
