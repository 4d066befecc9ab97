import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Of the thread's own limit: what lives after a major collection. */
const fullShare = 0.85;

/**
 * Tells when a worker's heap is nearly full. What counts is what a major collection has left: before one, most of the heap
 * is garbage. A thread whose heap runs out cannot leave in order, and the process ends with it.
 */
export class HeapWatch {
  readonly #observer: PerformanceObserver;

  constructor(onNearlyFull: () => void) {
    this.#observer = new PerformanceObserver((list) => {
      const isMajor = list.getEntries().some((entry) => kindOf(entry) === majorCollection);
      if (isMajor && isNearlyFull()) onNearlyFull();
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  close(): void {
    this.#observer.disconnect();
  }
}

const majorCollection = constants.NODE_PERFORMANCE_GC_MAJOR;

/** The declarations lack the entry's detail. */
function kindOf(entry: object): unknown {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind;
}

function isNearlyFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * fullShare;
}
