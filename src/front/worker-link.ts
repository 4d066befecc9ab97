import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { AppDescriptor } from '../http/uws.ts';
import type { MetricCells } from '../observability/metric-cells.ts';
import { assert } from '../support/assert.ts';
import { messageOf } from '../support/message-of.ts';
import {
  beatCell,
  connectionsCell,
  type HostCall,
  type HostMessage,
  type HostResult,
  shedCell,
  stateCells,
  threadCell,
  type WorkerMessage,
} from '../worker/worker-protocol.ts';
import type { Caller, HostDesk } from './host-desk.ts';

/** Messages of a worker that are neither calls nor about its life. */
export type WorkerNews = Extract<
  WorkerMessage,
  { kind: 'log' | 'used' | 'counted' | 'touched' | 'sign-in-failed' }
>;

/** The main thread's reactions to a worker's messages. */
export interface WorkerLinkHooks {
  onReady(descriptor: AppDescriptor): void;
  /** The worker asks to leave. @returns when it may leave, and the front end hands it no more connections */
  onLeaving(reason: string, mayWait: boolean): Promise<void>;
  onMessage(message: WorkerNews): void;
}

/** The memory that a worker and the main thread share. */
export interface WorkerMemory {
  readonly state: SharedArrayBuffer;
  readonly requestMetrics: SharedArrayBuffer;
  readonly evaluationMetrics: SharedArrayBuffer;
}

/** The main thread's side of one worker. */
export class WorkerLink implements Caller {
  readonly watchPlaces = new Set<number>();
  readonly requestCells: MetricCells;
  readonly evaluationCells: MetricCells;
  /** The descriptor of its app, while the front end hands it connections. */
  descriptor: AppDescriptor | null = null;
  isReady = false;
  /** When it was started in place of another one, in watched time; null for those that the service starts with. */
  replacesSince: number | null = null;
  /** It may leave. */
  isLeaving = false;
  /** When it was found stuck, in watched time; null while it is not. */
  stuckSince: number | null = null;
  /**
   * Resolves when everything that the worker sent has been received: with its last message, or with the end of its
   * thread.
   */
  readonly ended: Promise<void>;
  readonly #port: MessagePort;
  readonly #state: Int32Array<SharedArrayBuffer>;
  readonly #desk: HostDesk;
  readonly #hooks: WorkerLinkHooks;
  /** Everything that was sent has been received. */
  #isPortClosed = false;
  #results: HostResult[] = [];
  #isScheduled = false;
  #beatSeen = -1;
  #beatSeenAt = 0;

  constructor(memory: WorkerMemory, port: MessagePort, desk: HostDesk, hooks: WorkerLinkHooks) {
    this.#state = new Int32Array(memory.state);
    this.requestCells = new Float64Array(memory.requestMetrics);
    this.evaluationCells = new Float64Array(memory.evaluationMetrics);
    assert(this.#state.length === stateCells, 'a worker has the cells of its state');
    this.#port = port;
    this.#desk = desk;
    this.#hooks = hooks;
    this.ended = new Promise((resolve) => {
      port.once('close', () => {
        this.#isPortClosed = true;
        resolve();
      });
      port.on('message', (message: WorkerMessage) => {
        if (message.kind === 'ended') resolve();
        else this.#receive(message);
      });
    });
  }

  #receive(message: Exclude<WorkerMessage, { kind: 'ended' }>): void {
    if (message.kind === 'calls') for (const call of message.calls) this.#do(call);
    else if (message.kind === 'synced') this.#desk.noteCensus(this, message.census);
    else if (message.kind === 'left-watchers') this.#desk.leaveWatchers(this, message.place);
    else if (message.kind === 'ready') {
      assert(!this.isReady && !this.isLeaving, 'a worker is ready once, and before it leaves');
      this.isReady = true;
      this.#hooks.onReady(message.descriptor);
    } else this.#hooks.onMessage(message);
  }

  #do(call: HostCall): void {
    assert(this.isReady, 'a worker asks for nothing before it is ready');
    this.#desk.do(call, this).then(
      (value) => this.#answer({ id: call.id, ok: true, value }),
      (fault: unknown) =>
        this.#answer({
          id: call.id,
          ok: false,
          message: messageOf(fault),
        }),
    );
  }

  /** Results of one pass of the event loop, such as those of one group commit, go in one message. */
  #answer(result: HostResult): void {
    this.#results.push(result);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const results = this.#results;
      this.#results = [];
      this.send({ kind: 'results', results });
    });
  }

  /** A worker that has ended receives nothing. */
  send(message: HostMessage): void {
    this.#port.postMessage(message);
  }

  leave(reason: string, mayWait: boolean): Promise<void> {
    return this.#hooks.onLeaving(reason, mayWait);
  }

  get connections(): number {
    return Atomics.load(this.#state, connectionsCell);
  }

  /** Id of its thread; 0 until it serves. */
  get threadId(): number {
    return Atomics.load(this.#state, threadCell);
  }

  /** Asks it to close this many connections with their next answers. */
  shed(connections: number): void {
    assert(connections >= 0, 'a worker sheds no more connections than it has');
    Atomics.store(this.#state, shedCell, connections);
  }

  /** @returns whether its event loop has made no pass for `forMs` of watched time */
  isStuck(now: number, forMs: number): boolean {
    const beat = Atomics.load(this.#state, beatCell);
    if (beat !== this.#beatSeen) {
      this.#beatSeen = beat;
      this.#beatSeenAt = now;
    }
    return now - this.#beatSeenAt > forMs;
  }

  /** Its thread has ended. */
  close(): void {
    // Where the port is closed, Node ends the process by SIGSEGV when it is asked for a message in the pass of that event.
    if (!this.#isPortClosed) this.#receiveRest();
    this.#desk.release(this);
    this.#port.close();
  }

  /** Messages that are sent and not received yet: counts, and its last log lines. */
  #receiveRest(): void {
    for (let left = receiveMessageOnPort(this.#port); left !== undefined; ) {
      const message = left.message as WorkerMessage;
      if (message.kind !== 'ended') this.#receive(message);
      left = receiveMessageOnPort(this.#port);
    }
  }
}
