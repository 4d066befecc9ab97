import { count, type MetricCells, put } from '../observability/metric-cells.ts';
import type { StreamEnd, StreamKind } from '../streams/stream.ts';
import type { StreamMeter } from '../streams/stream-server.ts';
import {
  type RefusedStream,
  refusedStreams,
  requestMetrics,
  syncEndings,
  syncEventNames,
} from './request-metrics-protocol.ts';

const { metrics } = requestMetrics;
const openMetrics = { sync: metrics.syncStreams, ofrep: metrics.browserStreams } as const;

/** Counts the streams of a worker, and the usage that clients of sync report. */
export class WorkerStreamMeter implements StreamMeter {
  readonly #cells: MetricCells;

  /** @param cells of `requestMetrics` */
  constructor(cells: MetricCells) {
    this.#cells = cells;
  }

  putOpen(kind: StreamKind, streams: number): void {
    if (kind === 'sync' || kind === 'ofrep') put(this.#cells, openMetrics[kind], streams);
  }

  countEvent(kind: StreamKind, name: string): void {
    const index = syncEventNames.indexOf(name as (typeof syncEventNames)[number]);
    if (kind === 'sync' && index >= 0) count(this.#cells, metrics.syncEvents, index);
  }

  countBytes(kind: StreamKind, bytes: number): void {
    if (kind === 'sync') count(this.#cells, metrics.syncBytes, 0, bytes);
  }

  countEnd(kind: StreamKind, reason: StreamEnd): void {
    const index = syncEndings.indexOf(reason as (typeof syncEndings)[number]);
    if (kind === 'sync' && index >= 0) count(this.#cells, metrics.syncEnded, index);
  }

  countRefused(kind: RefusedStream): void {
    count(this.#cells, metrics.syncRefused, refusedStreams.indexOf(kind));
  }

  countUsage(evaluations: number, unknown: number): void {
    count(this.#cells, metrics.syncUsage, 0, evaluations);
    count(this.#cells, metrics.syncUsage, 1, unknown);
  }
}
