import { hrtime } from 'node:process';

/** @returns milliseconds on a clock that all threads of the process share and that never goes backwards. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** NaN between passes. */
let now = Number.NaN;

function forget(): void {
  now = Number.NaN;
}

/**
 * The monotonic clock, read once per pass of the event loop: deadlines and latencies of many requests share one
 * reading.
 * @returns milliseconds, behind the clock by at most the length of the pass
 */
export function passNow(): number {
  if (Number.isNaN(now)) {
    now = monotonicMs();
    setImmediate(forget);
  }
  return now;
}
