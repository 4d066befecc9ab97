import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import { threadEntries } from '../entry-files.ts';
import type { Logger } from '../observability/logger.ts';
import type { OperatorControl, OperatorReport, OperatorSetup } from '../operator/operator-protocol.ts';

export interface OperatorHostOptions {
  readonly directory: string;
  readonly tokenPrefix: string;
  /** A port to the writer. */
  readonly writerPort: MessagePort;
  readonly log: Logger;
}

/**
 * Owns the operator's thread. When it dies, the service goes on: the death is logged, and commands report
 * that the socket does not answer.
 */
export class OperatorHost {
  readonly #options: OperatorHostOptions;
  #worker: Worker | null = null;
  #exited: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  constructor(options: OperatorHostOptions) {
    this.#options = options;
  }

  /** @returns when the socket is served. @throws Error with the thread's message when it cannot be */
  async start(storeId: string): Promise<void> {
    const { log, ...options } = this.#options;
    const setup: OperatorSetup = { ...options, storeId };
    const { writerPort } = options;
    const worker = new Worker(threadEntries.operator, {
      workerData: setup,
      transferList: [writerPort],
      name: 'operator',
    });
    this.#worker = worker;
    this.#exited = once(worker, 'exit').catch(() => undefined);
    worker.on('error', (fault) => log.error({ err: fault }, 'the operator thread failed'));
    const report = new Promise<OperatorReport>((resolve) => worker.once('message', resolve));
    const first = (await Promise.race([report, this.#exited])) as OperatorReport | undefined;
    if (first?.kind !== 'ready') {
      throw new Error(
        first?.kind === 'fatal' ? first.message : 'the operator thread ended before it was ready',
      );
    }
    worker.on('exit', () => {
      if (!this.#isStopping) log.error('the operator thread ended: commands cannot reach this server');
    });
  }

  /** Refuses new commands, lets a running one finish, and waits for the thread. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#worker === null) {
      this.#options.writerPort.close();
      return;
    }
    const stop: OperatorControl = { kind: 'stop' };
    this.#worker.postMessage(stop);
    await this.#exited;
  }
}
