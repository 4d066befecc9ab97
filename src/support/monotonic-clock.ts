import { hrtime } from 'node:process';

/** @returns milliseconds on a clock that all threads of the process share and that never goes backwards. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
