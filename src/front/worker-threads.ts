import { Piscina } from 'piscina';
import { threadEntries } from '../entry-files.ts';
import type { Logger } from '../observability/logger.ts';
import type { Meeting, WorkerSetup } from '../worker/worker-protocol.ts';

/** Threads beside those that serve: a stuck worker keeps its thread, and a leaving worker has its own for a moment. */
const spareThreads = 1;
const mebibyte = 2 ** 20;
/** Memory beside the compiled flags, which a setting bounds. */
const heapForTheRest = 512 * mebibyte;
/**
 * Three semi-spaces of 1 MiB. A minor collection copies the live objects of one of them while the worker serves nobody:
 * with V8's default of 16 MiB that takes several milliseconds beside a long list.
 */
const youngGenerationBytes = 3 * mebibyte;

/** The threads of the pool. Each runs one worker after another, until a worker's fault ends the thread. */
export class WorkerThreads {
  readonly #pool: Piscina;
  readonly #count: number;

  /** @param serving workers that serve at once. @param cacheBytes of each, for compiled flags */
  constructor(serving: number, cacheBytes: number, log: Logger) {
    this.#count = serving + spareThreads;
    this.#pool = new Piscina({
      filename: threadEntries.worker.href,
      name: 'serveConnections',
      minThreads: this.#count,
      maxThreads: this.#count,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil((cacheBytes * 2 + heapForTheRest) / mebibyte),
        maxYoungGenerationSizeMb: youngGenerationBytes / mebibyte,
      },
    });
    // A thread that dies reports the fault through its task; the pool repeats it here.
    this.#pool.on('error', (fault: unknown) => log.error({ err: fault }, 'worker thread died'));
  }

  /** @returns when the worker has ended. Rejects with what it threw, or with the fault that ended its thread */
  async serve(setup: WorkerSetup): Promise<void> {
    await this.#pool.run(setup, { transferList: [setup.port, setup.writer.port] });
  }

  /** Ends all threads, each after it has loaded: when the start fails at once, they are still loading. */
  async end(): Promise<void> {
    const meeting: Meeting = {
      arrived: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
      threads: this.#count,
    };
    const meetings = Array.from({ length: this.#count }, () => this.#pool.run(meeting, { name: 'meet' }));
    await Promise.allSettled(meetings);
    await this.#pool.close({ force: false });
  }
}
