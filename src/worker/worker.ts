import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate as nextPass } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { threadId } from 'node:worker_threads';
import { watchEventLoop } from '../observability/event-loop.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { assert } from '../support/assert.ts';
import type { Lookout } from '../support/lookout.ts';
import { messageOf } from '../support/message-of.ts';
import { WriterClient } from '../writer/client/writer-client.ts';
import { HostClient, type HostOrder } from './host-client.ts';
import { requestMetrics } from './request-metrics-protocol.ts';
import { WorkerLog } from './worker-log.ts';
import {
  beatCell,
  beatIntervalMs,
  connectionsCell,
  shedCell,
  stateCells,
  threadCell,
  type WorkerSetup,
} from './worker-protocol.ts';
import { createServices, type WorkerServices } from './worker-services.ts';

/** How long a leaving worker keeps answering. Each answer closes its connection. */
const leavingMs = 250;
/** A worker whose event loop is busy for more than this share of the time needs the processor for its evaluations... */
const busyShare = 0.5;
/** ... if it answers more of them than this for each change. */
const evaluationsPerChange = 10;
/** Milliseconds for which a change then waits for others. */
const busyBatchMs = 20;
/** Beats between two messages with the clients of sync: one a second. */
const censusEveryBeats = 4;

/**
 * A worker: owns the connections that the front end hands it, and all their requests. It reads a request, evaluates on
 * its own view of the store and answers, in one call stack. Changes go to the writer. For what the process has only
 * once, a worker calls the main thread.
 */
export class Worker {
  readonly #state: Int32Array<SharedArrayBuffer>;
  readonly #host: HostClient;
  readonly #writer: WriterClient;
  readonly #log: WorkerLog;
  readonly #services: WorkerServices;
  readonly #loopWatch: Lookout;
  readonly #beating: NodeJS.Timeout;
  readonly #heapWatch: HeapWatch;
  #mustClose = false;
  /** As of the last beat. */
  #loopUse = performance.eventLoopUtilization();
  #evaluations = 0;
  #changes = 0;
  #beats = 0;
  #hadCensus = false;
  #isLeaving = false;
  #leavesFor: unknown = null;
  #isClosed = false;
  #finish: (hasLeft: boolean) => void = () => undefined;
  readonly #finished = new Promise<boolean>((resolve) => {
    this.#finish = resolve;
  });

  constructor(setup: WorkerSetup, reader: StoreReader) {
    this.#state = new Int32Array(setup.state);
    assert(this.#state.length === stateCells, 'a worker has the cells of its state');
    this.#host = new HostClient(setup.port, (order) => this.#obey(order));
    this.#writer = new WriterClient(setup.writer, setup.writerClient);
    this.#log = new WorkerLog(setup, (message) => this.#host.tell(message));
    this.#services = createServices(
      setup,
      reader,
      { host: this.#host, writer: this.#writer, log: this.#log },
      {
        mustClose: () => this.#mustClose || this.#mustShed(),
        onConnection: (change) => this.#noteConnection(change),
      },
    );
    this.#loopWatch = watchEventLoop(this.#services.requestMeter.cells, requestMetrics.metrics.loopDelay);
    this.#beating = setInterval(() => this.#beat(), beatIntervalMs);
    this.#heapWatch = new HeapWatch(() => this.#leave(new Error('its heap is nearly full'), true));
  }

  /** Serves until the main thread stops it, or it leaves. @returns whether it left by itself */
  run(): Promise<boolean> {
    Atomics.store(this.#state, threadCell, threadId);
    this.#beat();
    this.#host.tell({ kind: 'ready', descriptor: this.#services.server.descriptor });
    return this.#finished;
  }

  /**
   * Runs also without requests: so the main thread sees that the worker is alive, and an idle worker does not keep
   * pages from being reused.
   */
  #beat(): void {
    Atomics.add(this.#state, beatCell, 1);
    const { source, meter, requestMeter } = this.#services;
    source.release();
    this.#batchChanges();
    requestMeter.putActive(this.#loopUse.active);
    meter.putBytes(source.cache.bytes, source.lists.bytes);
    this.#collect();
    this.#tellCensus();
  }

  /**
   * While evaluations keep the event loop busy, changes wait for one another: a commit takes the processor from evaluations,
   * and costs the same for one change as for many.
   */
  #batchChanges(): void {
    const use = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(use, this.#loopUse);
    const { flags } = this.#services.meter;
    const { sent } = this.#writer;
    const isBusy =
      utilization > busyShare &&
      flags - this.#evaluations > ((sent - this.#changes) | 0) * evaluationsPerChange;
    this.#writer.batchFor(isBusy ? busyBatchMs : 0);
    this.#loopUse = use;
    this.#evaluations = flags;
    this.#changes = sent;
  }

  /** No connection is opened after the app is closed: it was removed from the front end before. */
  #noteConnection(change: number): void {
    assert(change < 0 || !this.#isClosed, 'no connection is opened on a closed app');
    const before = Atomics.add(this.#state, connectionsCell, change);
    assert(before + change >= 0, 'no more connections are closed than were opened');
  }

  /** Whether the next answer closes its connection, so that a new worker gets its share. */
  #mustShed(): boolean {
    // The main thread may set it to 0 in between, so it may become negative.
    if ((this.#state[shedCell] as number) <= 0) return false;
    return Atomics.sub(this.#state, shedCell, 1) > 0;
  }

  /** Sends counts that are due: a part in each pass of the event loop. */
  #collect(): void {
    const counted = this.#services.tallies.collect(performance.now());
    if (counted === null || this.#isClosed) return;
    this.#host.tell({ kind: 'counted', counted });
    nextPass(() => this.#collect());
  }

  /** Sends the front end the clients of sync; when there are none any more, an empty list once. */
  #tellCensus(): void {
    this.#beats += 1;
    if (this.#beats % censusEveryBeats !== 0 || this.#isClosed) return;
    const census = this.#services.census();
    if (census.length > 0 || this.#hadCensus) this.#host.tell({ kind: 'synced', census });
    this.#hadCensus = census.length > 0;
  }

  #obey(order: HostOrder): void {
    if (order.kind === 'drain') this.#drain();
    else if (order.kind === 'stop') this.#stop();
    else if (order.kind === 'writer-failed') this.#writer.fail(order.mayBegin);
    else this.#leave(new Error(order.reason), false);
  }

  #leave(fault: Error, mayWait: boolean): void {
    this.leave(fault, mayWait).catch((thrown: unknown) => this.#log.tell(thrown));
  }

  #drain(): void {
    this.#mustClose = true;
    this.#services.endStreams();
  }

  /** Also stops a leaving worker: the service waits for it no longer than for the others. */
  #stop(): void {
    this.#drain();
    this.#close();
    this.#finish(false);
  }

  /**
   * The worker dies, in order. The front end hands it no more connections, and it adopts those on their way; for a moment each
   * answer closes its connection; then it closes the rest. A request that still waits gets no answer, but a change that
   * was sent to the writer may still be applied. A thread that ended at once would crash the process.
   * @param fault the reason, for the log
   * @param mayWait whether it may wait until no other worker leaves
   */
  async leave(fault: unknown, mayWait = false): Promise<void> {
    if (this.#isLeaving) {
      // A failed assertion is reported twice.
      if (fault !== this.#leavesFor)
        this.#log.log.error({ err: fault }, 'a fault in a worker that is leaving');
      return;
    }
    this.#isLeaving = true;
    this.#leavesFor = fault;
    this.#log.log.error({ err: fault }, 'a worker shuts down and is replaced');
    const reason = messageOf(fault);
    await this.#host.ask('leave', [reason, mayWait]);
    // Connections that were handed over before are in this thread's event loop: two passes take all of them.
    await setImmediate();
    await setImmediate();
    this.#drain();
    await setTimeout(leavingMs);
    this.#close();
    this.#finish(true);
  }

  /** The worker could not begin to serve: it has no connections, and all work in its thread must end. */
  abandon(): void {
    this.#isLeaving = true;
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#beating);
    this.#loopWatch.close();
    this.#heapWatch.close();
    this.#services.longAnswers.close();
    const { tallies } = this.#services;
    for (let rest = tallies.collectRest(); rest !== null; rest = tallies.collectRest()) {
      this.#host.tell({ kind: 'counted', counted: rest });
    }
    // Sent before clients learn that they are cut: a change that they repeat must come after this one.
    this.#writer.flush();
    this.#services.server.close();
    this.#writer.close();
    this.#host.flush();
    this.#log.flush();
  }
}

/** The share of the thread's own limit that objects take after a major collection. */
const fullShare = 0.85;

/**
 * Reports when a worker's heap is nearly full. Only the size after a major collection counts: before it, most of the
 * heap is garbage. A thread whose heap is exhausted cannot leave in order, and ends the process.
 */
class HeapWatch {
  readonly #observer: PerformanceObserver;

  constructor(onNearlyFull: () => void) {
    this.#observer = new PerformanceObserver((list) => {
      const isMajor = list.getEntries().some((entry) => kindOf(entry) === majorCollection);
      if (isMajor && isNearlyFull()) onNearlyFull();
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  close(): void {
    this.#observer.disconnect();
  }
}

const majorCollection = constants.NODE_PERFORMANCE_GC_MAJOR;

/** The declarations lack the entry's detail. */
function kindOf(entry: object): unknown {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind;
}

function isNearlyFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * fullShare;
}
