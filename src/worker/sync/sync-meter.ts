import { count, type MetricCells, put } from '../../observability/metric-cells.ts';
import { type RefusedStream, refusedStreams } from '../limits/stream-room.ts';
import { requestMetrics } from '../request-metrics-protocol.ts';
import { type SyncEvent, syncEvents } from './sync-events.ts';

/** Why the service ended a stream. */
export const streamEnds = ['token', 'environment', 'slow', 'drain', 'detached'] as const;
export type StreamEnd = (typeof streamEnds)[number];

const { metrics } = requestMetrics;

/** Counts what a worker does for sync. */
export class SyncMeter {
  readonly #cells: MetricCells;

  /** @param cells of `requestMetrics` */
  constructor(cells: MetricCells) {
    this.#cells = cells;
  }

  putStreams(streams: number): void {
    put(this.#cells, metrics.syncStreams, streams);
  }

  putBrowserStreams(streams: number): void {
    put(this.#cells, metrics.browserStreams, streams);
  }

  countEvent(event: SyncEvent): void {
    count(this.#cells, metrics.syncEvents, syncEvents.indexOf(event));
  }

  countBytes(bytes: number): void {
    count(this.#cells, metrics.syncBytes, 0, bytes);
  }

  countRefused(share: RefusedStream): void {
    count(this.#cells, metrics.syncRefused, refusedStreams.indexOf(share));
  }

  countEnd(why: StreamEnd): void {
    count(this.#cells, metrics.syncEnded, streamEnds.indexOf(why));
  }

  countUsage(evaluations: number, unknown: number): void {
    count(this.#cells, metrics.syncUsage, 0, evaluations);
    count(this.#cells, metrics.syncUsage, 1, unknown);
  }
}
