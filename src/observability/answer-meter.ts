import { performance } from 'node:perf_hooks';
import { passNow } from '../support/monotonic-clock.ts';
import { cellsOfSeries, type Metric } from './metric.ts';
import { count, type MetricCells } from './metric-cells.ts';

/** The statuses of answers. Any other one is counted as the last. */
export const answerStatuses = [
  200, 201, 204, 302, 303, 304, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422, 428,
  429, 500, 501, 503, 0,
] as const;

/** Whether the client or the service ended a request before its answer was complete. */
export const unansweredBy = ['client', 'service'] as const;

const seriesOfStatus = new Uint8Array(600).fill(answerStatuses.length - 1);
for (const [series, status] of answerStatuses.entries()) seriesOfStatus[status] = series;

/** One in this many answers that are given within their handler is timed. */
const sampleEvery = 64;
const notTimed = -1;

/** Series are ordered by route, then by status or by who ended the request. */
export interface AnswerMetrics {
  readonly durations: Metric;
  readonly unanswered: Metric;
}

/**
 * Counts answers by route, an index into a closed list. Cells are looked up beforehand, so that counting
 * takes nanoseconds.
 */
export class AnswerMeter {
  readonly #cells: MetricCells;
  readonly #unanswered: Metric;
  readonly #firstCell: number;
  /** In milliseconds. */
  readonly #bounds: Float64Array;
  readonly #width: number;
  #sampled = 0;
  /** Duration of the last answer that was given within its handler and timed. */
  #durationMs = 0;

  constructor(cells: MetricCells, { durations, unanswered }: AnswerMetrics) {
    this.#cells = cells;
    this.#unanswered = unanswered;
    this.#firstCell = durations.firstCell;
    this.#bounds = Float64Array.from(durations.bounds, (seconds) => seconds * 1000);
    this.#width = cellsOfSeries(durations);
  }

  /** @param startedAt from `passNow`, when the request was read */
  countAnswer(route: number, status: number, startedAt: number): void {
    this.#count(route, status, passNow() - startedAt);
  }

  #count(route: number, status: number, durationMs: number): void {
    const cells = this.#cells;
    const bounds = this.#bounds;
    const series = route * answerStatuses.length + (seriesOfStatus[status] as number);
    const first = this.#firstCell + series * this.#width;
    let bucket = 0;
    while (bucket < bounds.length && durationMs > (bounds[bucket] as number)) bucket += 1;
    const sum = first + bounds.length + 1;
    cells[first + bucket] = (cells[first + bucket] as number) + 1;
    cells[sum] = (cells[sum] as number) + durationMs / 1000;
  }

  /**
   * Call it for a request that is answered before its handler returns.
   * @returns the argument for `countAtOnce`
   */
  beginAtOnce(): number {
    this.#sampled = (this.#sampled + 1) % sampleEvery;
    return this.#sampled === 0 ? performance.now() : notTimed;
  }

  /**
   * Counts an answer that was given within its handler. One in `sampleEvery` is timed, and counts for the others:
   * reading the clock twice for each would cost a hundredth of an evaluation.
   */
  countAtOnce(route: number, status: number, startedAt: number): void {
    if (startedAt !== notTimed) this.#durationMs = performance.now() - startedAt;
    this.#count(route, status, this.#durationMs);
  }

  /** Counts a request whose client went away, or whose connection was cut, before its answer was complete. */
  countUnanswered(route: number, by: (typeof unansweredBy)[number]): void {
    count(this.#cells, this.#unanswered, route * unansweredBy.length + unansweredBy.indexOf(by));
  }
}
