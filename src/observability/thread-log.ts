import { Buffer } from 'node:buffer';
import { pino } from 'pino';
import { assert } from '../support/assert.ts';
import { type Logger, loggerOptions } from './logger.ts';

/** Bytes of log lines of all threads in transit to the main thread. Further lines are dropped. */
export const linesOnTheWayMax = 4 * 1024 * 1024;

/** Counter of bytes that were sent and not received, shared by all senders and the writing thread. */
export function createLogMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** A message with a thread's log lines. */
export interface LogLines {
  readonly lines: string;
  readonly bytes: number;
}

/**
 * Sends a thread's log lines to the main thread, the only writer of the log. Lines of several writers would
 * interleave in a pipe, and a stopped reader would block every thread that writes synchronously.
 */
export class LogSender {
  readonly #onTheWay: Int32Array<SharedArrayBuffer>;
  readonly #post: (lines: LogLines) => void;

  constructor(memory: SharedArrayBuffer, post: (lines: LogLines) => void) {
    this.#onTheWay = new Int32Array(memory);
    this.#post = post;
  }

  /** @param lines each with its line feed; dropped when the main thread is far behind */
  write(lines: string): void {
    const bytes = Buffer.byteLength(lines);
    if (Atomics.add(this.#onTheWay, 0, bytes) + bytes > linesOnTheWayMax) {
      Atomics.sub(this.#onTheWay, 0, bytes);
      return;
    }
    this.#post({ lines, bytes });
  }
}

/** Receives lines: call it for each message that a `LogSender` has posted. */
export function receiveLines(memory: SharedArrayBuffer, { lines, bytes }: LogLines): string {
  const onTheWay = Atomics.sub(new Int32Array(memory), 0, bytes);
  assert(onTheWay >= bytes, 'lines are received once');
  return lines;
}

/** The log of a thread. Each line is sent at once, so that the log has the reason when the thread ends. */
export function createThreadLog(level: string, sender: LogSender): Logger {
  return pino({ level, ...loggerOptions }, { write: (line: string) => sender.write(line) });
}
