import { AnswerMeter } from '../observability/answer-meter.ts';
import { count, type MetricCells, put } from '../observability/metric-cells.ts';
import { assert } from '../support/assert.ts';
import { type LimitName, limitIndex, requestMetrics } from './request-metrics-protocol.ts';

const { metrics } = requestMetrics;

/** Counts the requests that a worker, or the front end, answers. */
export class RequestMeter {
  readonly cells: MetricCells;
  readonly answers: AnswerMeter;

  /** @param memory for the cells of `requestMetrics` */
  constructor(memory: SharedArrayBuffer) {
    this.cells = new Float64Array(memory);
    assert(this.cells.length === requestMetrics.cellCount, 'the memory is that of the metrics of requests');
    this.answers = new AnswerMeter(this.cells, metrics);
  }

  countLimited(limit: LimitName): void {
    count(this.cells, metrics.rateLimited, limitIndex(limit));
  }

  countFailedAuthentication(): void {
    count(this.cells, metrics.failedAuthentications);
  }

  countFailedSignIn(isKnown: boolean): void {
    count(this.cells, metrics.failedSignIns, isKnown ? 0 : 1);
  }

  /** How long this thread's event loop was busy since its start, in milliseconds. */
  putActive(ms: number): void {
    put(this.cells, metrics.loopActive, ms / 1000);
  }

  countUnrecordedDenial(): void {
    count(this.cells, metrics.unrecordedDenials);
  }
}
