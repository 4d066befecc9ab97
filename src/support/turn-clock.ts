import { monotonicMs } from './monotonic-clock.ts';

/** NaN between turns. */
let now = Number.NaN;
let isHeld = false;

function forget(): void {
  if (!isHeld) now = Number.NaN;
}

/**
 * The monotonic clock, read once per turn of the event loop: deadlines and latencies of many requests share one reading.
 * @returns milliseconds, early by no more than the turn has taken
 */
export function turnNow(): number {
  if (Number.isNaN(now)) {
    now = monotonicMs();
    if (!isHeld) setImmediate(forget);
  }
  return now;
}

/** Runs work that has a reading of its own, without leaving one behind. */
export function withFreshTurn(work: () => void): void {
  now = Number.NaN;
  isHeld = true;
  try {
    work();
  } finally {
    isHeld = false;
    now = Number.NaN;
  }
}
