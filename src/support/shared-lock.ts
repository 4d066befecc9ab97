/** States of a lock's cell. `contended`: a thread sleeps until the lock is released. */
const free = 0;
const taken = 1;
const contended = 2;
const spins = 64;

/**
 * A lock in one cell of shared memory, for sections of some dozen instructions that neither allocate nor throw: a lock
 * that a thread holds when it dies stays taken.
 */
export function withLock<T>(cells: Int32Array<SharedArrayBuffer>, cell: number, section: () => T): T {
  acquire(cells, cell);
  try {
    return section();
  } finally {
    if (Atomics.exchange(cells, cell, free) === contended) Atomics.notify(cells, cell, 1);
  }
}

/** Spins for a moment, because the holder is nearly done; then sleeps, because the holder may have lost its core. */
function acquire(cells: Int32Array<SharedArrayBuffer>, cell: number): void {
  for (let spin = 0; spin < spins; spin += 1) {
    if (Atomics.compareExchange(cells, cell, free, taken) === free) return;
  }
  while (Atomics.exchange(cells, cell, contended) !== free) Atomics.wait(cells, cell, contended);
}
