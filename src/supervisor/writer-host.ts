import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import { threadEntries } from '../entry-files.ts';
import type { MetricCells } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import { WatchedTime } from '../support/watched-time.ts';
import { within } from '../support/within.ts';
import { WriterClient, type WriterClientOptions, WriterLinks } from '../writer/client/writer-client.ts';
import type { WriterReply, WriterRequest, WriterSetup } from '../writer/client/writer-protocol.ts';

export interface WriterHostOptions {
  readonly setup: WriterSetup;
  /** The options of the main thread's client of the writer. */
  readonly client: WriterClientOptions;
  /** Called when a letter was put into the outbox. */
  readonly onOutboxGrew: () => void;
  /** The writer has failed. Called before `onFatal`. @param mayBegin it hangs, and may still begin changes */
  readonly onFailed: (mayBegin: boolean) => void;
  readonly onFatal: (fault: Error) => void;
  /** Receives the log lines of the thread. */
  onLog(lines: LogLines): void;
}

const watchIntervalMs = 1000;
/**
 * The writer counts as hung when it has work and its pulse has not moved for this long. LMDB's writes do not
 * move the pulse, so this is more than a commit of a million flags takes on a slow disk.
 */
const hungAfterMs = 60_000;

/**
 * Owns the writer's thread, which is never replaced: a writer that dies or hangs may hold the store's lock,
 * so the process ends and its manager restarts it.
 */
export class WriterHost {
  readonly links: WriterLinks;
  readonly client: WriterClient;
  readonly #worker: Worker;
  readonly #options: WriterHostOptions;
  readonly #exited: Promise<unknown>;
  /** Awaited from the beginning: the store may be open, or refused, before `ready` is called. */
  readonly #firstReply: Promise<WriterReply>;
  #isOpen = false;
  readonly #watch: NodeJS.Timeout;
  readonly #watchedTime = new WatchedTime(watchIntervalMs);
  readonly #pulse: Int32Array<SharedArrayBuffer>;
  readonly #metrics: MetricCells;
  #measured: Promise<void> | null = null;
  #onMeasured: () => void = () => undefined;
  #pulseSeen = 0;
  #pulseSeenAt = 0;
  #isStopping = false;
  /** Whether the thread's end was reported: its fault, message and exit arrive separately. */
  #hasFailed = false;

  constructor(options: WriterHostOptions) {
    this.#options = options;
    const { setup } = options;
    const transferList: MessagePort[] = [setup.operatorPort];
    if (setup.cluster !== null) transferList.push(setup.cluster.port);
    this.#worker = new Worker(threadEntries.writer, { workerData: setup, transferList, name: 'writer' });
    this.links = new WriterLinks((request, transferred) =>
      this.#worker.postMessage(request, [...transferred]),
    );
    this.client = new WriterClient(this.links.open(), options.client);
    this.#pulse = new Int32Array(setup.pulse);
    this.#metrics = new Float64Array(setup.metrics);
    this.#exited = once(this.#worker, 'exit');
    this.#worker.on('error', (fault) => this.#end(fault instanceof Error ? fault : new Error(String(fault))));
    this.#worker.on('exit', () => {
      if (!this.#isStopping) this.#end(new Error('the writer thread ended'));
    });
    this.#firstReply = new Promise((resolve) => {
      this.#worker.on('message', (reply: WriterReply) => {
        if (reply.kind === 'log') options.onLog(reply.lines);
        else {
          resolve(reply);
          this.#receive(reply);
        }
      });
    });
    this.#watch = setInterval(() => this.#watchPulse(), watchIntervalMs);
  }

  /** @returns when the store is open. Rejects with the writer's message when it cannot be opened. */
  async ready(): Promise<Extract<WriterReply, { kind: 'ready' }>> {
    const reply = await Promise.race([this.#firstReply, this.#exited]);
    const first = reply as WriterReply | undefined;
    if (first?.kind === 'fatal') {
      await this.stopped();
      throw new Error(first.message);
    }
    if (first?.kind !== 'ready') throw new Error('the writer thread ended before it was ready');
    return first;
  }

  #receive(reply: WriterReply): void {
    if (reply.kind === 'fatal') this.#receiveFatal(reply.message);
    else if (reply.kind === 'ready') this.#isOpen = true;
    else if (reply.kind === 'measured') this.#onMeasured();
    else if (reply.kind === 'outbox-grew') this.#options.onOutboxGrew();
  }

  /** A store that cannot be opened makes the start fail through `ready`; a restart would not help. */
  #receiveFatal(message: string): void {
    if (this.#isOpen) this.#end(new Error(`the store failed: ${message}`));
    else this.#isStopping = true;
  }

  /**
   * The writer's cells of `writerMetrics`. If the writer does not answer in time, the store's metrics are the
   * last known. At most one question to it is open.
   */
  async readMetrics(timeoutMs: number): Promise<MetricCells> {
    this.#measured ??= new Promise((resolve) => {
      this.#onMeasured = () => {
        this.#measured = null;
        resolve();
      };
      const request: WriterRequest = { kind: 'measure' };
      this.#worker.postMessage(request);
    });
    await within(timeoutMs, this.#measured);
    return this.#metrics;
  }

  /** Seconds for which its event loop was busy since it was started. */
  get activeSeconds(): number {
    return this.#worker.performance.eventLoopUtilization().active / 1000;
  }

  #watchPulse(): void {
    const pulse = Atomics.load(this.#pulse, 0);
    const now = this.#watchedTime.look();
    if (pulse !== this.#pulseSeen || this.links.unsettled === 0) {
      this.#pulseSeen = pulse;
      this.#pulseSeenAt = now;
    } else if (now - this.#pulseSeenAt > hungAfterMs) this.#end(new Error('the writer thread hangs'), true);
  }

  #end(fault: Error, isRunning = false): void {
    if (this.#isStopping || this.#hasFailed) return;
    this.#hasFailed = true;
    this.client.fail(isRunning);
    this.#options.onFailed(isRunning);
    this.#options.onFatal(fault);
  }

  /**
   * Commits waiting changes, closes the store, and waits for the thread, also for one that is still opening the store.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.client.close();
    const request: WriterRequest = { kind: 'stop' };
    this.#worker.postMessage(request);
    await this.stopped();
  }

  async stopped(): Promise<void> {
    clearInterval(this.#watch);
    await this.#exited;
  }
}
