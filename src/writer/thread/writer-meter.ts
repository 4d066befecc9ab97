import { count, type MetricCells, observe, put } from '../../observability/metric-cells.ts';
import type { Store } from '../../storage/store.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { type CommitSource, commitSources, writerMetrics } from '../client/writer-metrics-protocol.ts';
import type { FreeSpace } from './free-space.ts';

const { metrics } = writerMetrics;

/** Counts the writer's work. */
export class WriterMeter {
  readonly cells: MetricCells;

  constructor(memory: SharedArrayBuffer) {
    this.cells = new Float64Array(memory);
  }

  countGroup(commands: number): void {
    observe(this.cells, metrics.groupSize, 0, commands);
  }

  /** @param startedAt on the monotonic clock */
  countCommit(source: CommitSource, startedAt: number): void {
    const seconds = (monotonicMs() - startedAt) / 1000;
    observe(this.cells, metrics.commitDuration, commitSources.indexOf(source), seconds);
  }

  countFailedCommit(source: CommitSource): void {
    count(this.cells, metrics.failedCommits, commitSources.indexOf(source));
  }

  countQuotaRefusal(): void {
    count(this.cells, metrics.quotaRefusals);
  }

  /** Updates the gauges, which are measured only when metrics are requested. */
  measure(store: Store, freeSpace: FreeSpace): void {
    const { cells } = this;
    const measures = store.measure();
    put(cells, metrics.storeFileBytes, measures.fileBytes);
    put(cells, metrics.storeUsedBytes, measures.usedBytes);
    put(cells, metrics.storeMapBytes, measures.mapBytes);
    put(cells, metrics.storeReaders, measures.readers);
    put(cells, metrics.storeOldestReader, measures.oldestReaderLagCommits);
    put(cells, metrics.outboxDepth, measures.outboxEntries);
    put(cells, metrics.storageFreeBytes, freeSpace.freeBytes());
    put(cells, metrics.storageReserveBytes, freeSpace.reserveBytes);
  }
}
