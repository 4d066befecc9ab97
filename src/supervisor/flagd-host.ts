import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Denial } from '../domain/token/denial.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { threadEntries } from '../entry-files.ts';
import {
  type FlagdMessage,
  type FlagdRequest,
  type FlagdSetup,
  flagdMetrics,
} from '../flagd/flagd-protocol.ts';
import { ListenError } from '../http/listen-error.ts';
import type { Logger } from '../observability/logger.ts';
import { addCounts, createMetricMemory, type MetricCells } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { within } from '../support/within.ts';

export interface FlagdHostOptions {
  readonly setup: Omit<FlagdSetup, 'metrics'>;
  readonly log: Logger;
  readonly onUsed: (use: TokenUse) => void;
  readonly onDenied: (denial: Denial) => void;
  /** Receives the connected clients each second; empty when the last one has gone. */
  readonly onCensus: (census: readonly StreamCensus[]) => void;
  /** Receives the log lines of the thread. */
  onLog(lines: LogLines): void;
}

const backOffMs = { first: 1000, max: 60_000 };
/** A thread that has run for this long is healthy: after its death the next one starts after the shortest pause. */
const healthyAfterMs = 60_000;
/** Timeout at shutdown for the thread, in addition to the time for the end of its streams. */
const stopTimeoutMs = 5000;

/**
 * Owns flagd's thread. The service does not depend on it: a thread that died is replaced after a pause, on
 * the same port. It is never terminated, because it reads the store.
 */
export class FlagdHost {
  readonly #options: FlagdHostOptions;
  readonly #past: MetricCells = new Float64Array(createMetricMemory(flagdMetrics));
  #cells: MetricCells = new Float64Array(createMetricMemory(flagdMetrics));
  #worker: Worker | null = null;
  #port: number;
  #restart: NodeJS.Timeout | undefined;
  #restartMs = backOffMs.first;
  #isStopping = false;

  constructor(options: FlagdHostOptions) {
    this.#options = options;
    this.#port = options.setup.port;
  }

  /**
   * Call it when the store is open.
   * @throws ListenError when it cannot serve
   */
  async start(): Promise<void> {
    const { host, tls } = this.#options.setup;
    const failure = await this.#begin();
    if (failure !== null) {
      this.#isStopping = true;
      throw new ListenError(failure);
    }
    this.#options.log.info(
      { flagdSyncHost: host, flagdSyncPort: this.#port, isEncrypted: tls !== null },
      "flagd's providers get flags by gRPC",
    );
  }

  /** @returns null when the thread listens, otherwise the reason for the operator */
  async #begin(): Promise<string | null> {
    const metrics = createMetricMemory(flagdMetrics);
    const workerData: FlagdSetup = { ...this.#options.setup, port: this.#port, metrics };
    this.#cells = new Float64Array(metrics);
    const worker = new Worker(threadEntries.flagd, { workerData, name: 'flagd' });
    const startedAt = monotonicMs();
    this.#worker = worker;
    const ready = new Promise<string | null>((resolve) => {
      worker.on('message', (message: FlagdMessage) => {
        if (message.kind === 'ready') {
          this.#port = message.port;
          resolve(null);
        } else if (message.kind === 'fatal') resolve(message.message);
        else this.#receive(message);
      });
      worker.once('exit', () => {
        resolve("the thread of flagd's sync ended before it was ready");
        this.#receiveExit(monotonicMs() - startedAt);
      });
    });
    worker.on('error', (fault) =>
      this.#options.log.error({ err: fault }, "the thread of flagd's sync failed"),
    );
    return await ready;
  }

  #receive(message: Extract<FlagdMessage, { kind: 'log' | 'used' | 'denied' | 'synced' }>): void {
    if (message.kind === 'log') this.#options.onLog(message.lines);
    else if (message.kind === 'used') this.#options.onUsed(message.use);
    else if (message.kind === 'synced') this.#options.onCensus(message.census);
    else this.#options.onDenied(message.denial);
  }

  #receiveExit(livedMs: number): void {
    this.#worker = null;
    this.#options.onCensus([]);
    addCounts(this.#past, this.#cells, flagdMetrics);
    this.#cells = new Float64Array(this.#cells.length);
    if (this.#isStopping) return;
    if (livedMs > healthyAfterMs) this.#restartMs = backOffMs.first;
    const restartInMs = this.#restartMs;
    this.#options.log.error({ restartInMs }, "the thread of flagd's sync ended and is started again");
    this.#restart = setTimeout(() => this.#startAgain(), restartInMs);
    this.#restartMs = Math.min(restartInMs * 2, backOffMs.max);
  }

  #startAgain(): void {
    this.#begin()
      .then((failure) => {
        if (failure !== null) this.#options.log.error({ failure }, "flagd's sync could not be started again");
      })
      .catch((fault: unknown) =>
        this.#options.log.error({ err: fault }, "flagd's sync could not be started"),
      );
  }

  /** Cells of `flagdMetrics`: summed over all threads of this process, which follow one another. */
  readMetrics(): MetricCells {
    const cells = this.#cells.slice();
    addCounts(cells, this.#past, flagdMetrics);
    return cells;
  }

  /** Ends all streams. @returns whether the thread has ended: a thread that hangs cannot be ended without the process */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return true;
    const exited = once(worker, 'exit').catch(() => undefined);
    const stop: FlagdRequest = { kind: 'stop' };
    worker.postMessage(stop);
    return await within(stopTimeoutMs, exited);
  }
}
