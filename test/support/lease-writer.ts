import { workerData } from 'node:worker_threads';
import { LeaseCell } from '../../src/support/lease-cell.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';

/** What the thread that writes is given. */
export interface LeaseWriting {
  readonly lease: SharedArrayBuffer;
  /** Set once it is to end. */
  readonly stop: SharedArrayBuffer;
}

const { lease, stop } = workerData as LeaseWriting;
const cell = new LeaseCell(lease);
const isStopped = new Int32Array(stop);
const aheadMs = 50_000;
// One of both bounds has passed at any time: only a mixture of the two is valid.
while (Atomics.load(isStopped, 0) === 0) {
  cell.renew(monotonicMs() + aheadMs, Date.now() - aheadMs);
  cell.renew(monotonicMs() - aheadMs, Date.now() + aheadMs);
}
