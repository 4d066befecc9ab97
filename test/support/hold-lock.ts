import { withLock } from '../../src/support/shared-lock.ts';
import { inThread } from './run-threads.ts';

export interface LockHolding {
  readonly locks: SharedArrayBuffer;
  /** A counter for each lock, changed without atomics. */
  readonly numbers: SharedArrayBuffer;
  readonly sections: number;
  /** How long a section is, in steps of some nanoseconds. */
  readonly steps: number;
}

/** The result: how often another thread waited while this one held a lock. */
inThread(({ locks, numbers, sections, steps }: LockHolding, thread: number): number => {
  const cells = new Int32Array(locks);
  const counts = new Float64Array(numbers);
  let waits = 0;
  for (let section = 0; section < sections; section += 1) {
    const cell = (section + thread) % cells.length;
    withLock(cells, cell, () => {
      const before = counts[cell] as number;
      for (let step = 0; step < steps; step += 1) counts[cell] = before - step;
      counts[cell] = before + 1;
      if (Atomics.load(cells, cell) === 2) waits += 1;
    });
  }
  return waits;
});
