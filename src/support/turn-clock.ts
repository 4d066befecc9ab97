import { monotonicMs } from './monotonic-clock.ts';

/** NaN between turns. */
let now = Number.NaN;

function forget(): void {
  now = Number.NaN;
}

/**
 * The monotonic clock, read once per turn of the event loop: deadlines and latencies of many requests share one reading.
 * @returns milliseconds, early by no more than the turn has taken
 */
export function turnNow(): number {
  if (Number.isNaN(now)) {
    now = monotonicMs();
    setImmediate(forget);
  }
  return now;
}
