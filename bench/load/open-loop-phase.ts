import { LatencyRecorder } from './latency-histogram.ts';

/** A series of requests, each due at its own time, and their outcomes. */
export class OpenLoopPhase {
  readonly total: number;
  readonly startMs: number;
  readonly #intervalMs: number;
  sent = 0;
  /** Number of requests that were answered, or will get no answer. */
  settled = 0;
  readonly latencies = new LatencyRecorder();
  /** Time from due to sent, of requests that did not wait for a connection. */
  readonly lateness = new LatencyRecorder();
  #lastAnswerMs = 0;

  constructor(total: number, requestsPerSecond: number, startMs: number) {
    this.total = total;
    this.startMs = startMs;
    this.#intervalMs = 1000 / requestsPerSecond;
    this.#lastAnswerMs = startMs;
  }

  /** When the next request is due; after the last request, when one more would be. */
  get nextDueMs(): number {
    return this.startMs + this.sent * this.#intervalMs;
  }

  get isSent(): boolean {
    return this.sent === this.total;
  }

  get isOver(): boolean {
    return this.settled === this.total;
  }

  /**
   * Counts a request that is about to be sent.
   *
   * @param freeSinceMs since when a connection has been free
   */
  countSent(dueMs: number, freeSinceMs: number, nowMs: number): void {
    this.sent += 1;
    if (freeSinceMs <= dueMs) this.lateness.recordMs(nowMs - dueMs);
  }

  countAnswer(dueMs: number, nowMs: number): void {
    this.settled += 1;
    this.#lastAnswerMs = nowMs;
    this.latencies.recordMs(nowMs - dueMs);
  }

  /** The rate achieved so far. */
  get answersPerSecond(): number {
    return this.latencies.count / ((this.#lastAnswerMs - this.startMs) / 1000);
  }
}
