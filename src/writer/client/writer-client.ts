import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Denial } from '../../domain/token/denial.ts';
import type { ApiCall } from '../../operations/call.ts';
import { assert } from '../../support/assert.ts';
import { Lookout } from '../../support/lookout.ts';
import { MessageBatch, transferredBytes } from '../../support/message-batch.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { OutboxCommand } from './outbox-protocol.ts';
import {
  begunCell,
  type ClientMessage,
  linkCells,
  type Usage,
  unsettledBytesCell,
  unsettledBytesMax,
  unsettledCell,
  unsettledMax,
  type WriterCommand,
  type WriterLink,
  type WriterRequest,
  type WriterResult,
  type WriterResults,
} from './writer-protocol.ts';

/**
 * The outcome of a call. It is `unknown` also when the writer has died, and `cut-off` or `overloaded` also when nothing
 * was sent to the writer.
 */
export type WriteOutcome = WriterResult | { readonly kind: 'overloaded' };

interface Waiter {
  readonly deadline: number;
  settle(outcome: WriteOutcome): void;
}

/** How often deadlines are checked: more often while commands are in flight. */
const lookPace = { busyMs: 50, idleMs: 250 };
/** The writer itself reports commands that wait too long for the cluster. The client waits this much longer for the report. */
const reportGraceMs = 500;

const leastBytesMax = 4 * 1024 * 1024;

/** The body's bytes are transferred, so the sender must not read them after sending. */
function bodyOf(command: WriterCommand): Uint8Array | null {
  return command.kind === 'write' ? command.call.body : null;
}

/** The writer's calls for requests. */
export interface WriterPort {
  write(call: ApiCall): Promise<WriteOutcome>;
  recordDenial(denial: Denial): Promise<WriteOutcome>;
}

export interface WriterClientOptions {
  /** The writer begins a change within this time, or the change is refused. */
  readonly deadlineMs: number;
  /** After `deadlineMs`, the most time until a change that was begun is answered. Null: the writer waits for no other node. */
  readonly answerMs: number | null;
  /** The most commands, and bytes of their bodies, without a result. One more is refused. */
  readonly commandsMax: number;
  readonly bytesMax: number;
}

/** Splits the writer's queue evenly over its clients. Each client may always send a few of the longest bodies. */
export function clientOptions(
  deadlineMs: number,
  answerMs: number | null,
  clients: number,
): WriterClientOptions {
  return {
    deadlineMs,
    answerMs,
    commandsMax: Math.ceil(unsettledMax / clients),
    bytesMax: Math.max(leastBytesMax, Math.floor(unsettledBytesMax / clients)),
  };
}

/**
 * One thread's connection to the writer. Each call is answered once: by its deadline, unless the writer has begun it.
 */
export class WriterClient implements WriterPort {
  readonly #port: MessagePort;
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #stamp: Int32Array<SharedArrayBuffer>;
  readonly #options: WriterClientOptions;
  readonly #batch: MessageBatch<WriterCommand>;
  readonly #waiters = new Map<number, Waiter>();
  /** Bytes of the body of each command without a result. Commands whose callers were refused are included. */
  readonly #unsettled = new Map<number, number>();
  readonly #lookout: Lookout;
  #unsettledBytes = 0;
  #nextTicket = 1;
  #isFailed = false;

  constructor({ port, memory, stamp }: WriterLink, options: WriterClientOptions) {
    this.#port = port;
    this.#cells = new Int32Array(memory);
    this.#stamp = new Int32Array(stamp);
    this.#options = options;
    this.#batch = new MessageBatch((commands) => {
      const message: ClientMessage = { stamp: Atomics.add(this.#stamp, 0, 1) + 1, commands };
      port.postMessage(message, transferredBytes(commands.map(bodyOf)));
    });
    port.on('message', (results: WriterResults) => this.#receive(results));
    this.#lookout = new Lookout(() => {
      this.expire(monotonicMs());
      return this.#waiters.size > 0;
    }, lookPace);
  }

  get isServing(): boolean {
    return !this.#isFailed;
  }

  write(call: ApiCall): Promise<WriteOutcome> {
    return this.#send(
      (ticket, deadline) => ({ kind: 'write', ticket, deadline, call }),
      call.body?.length ?? 0,
      call.askedAt,
    );
  }

  touchSession(sessionId: string): Promise<WriteOutcome> {
    return this.#send((ticket, deadline) => ({ kind: 'touch-session', ticket, deadline, sessionId }));
  }

  recordDenial(denial: Denial): Promise<WriteOutcome> {
    return this.#send((ticket, deadline) => ({ kind: 'denial', ticket, deadline, denial }));
  }

  serveOutbox(command: OutboxCommand): Promise<WriteOutcome> {
    return this.#send((ticket, deadline) => ({ kind: 'outbox', ticket, deadline, command }));
  }

  recordUsage(usage: Usage): Promise<WriteOutcome> {
    return this.#send((ticket, deadline) => ({ kind: 'usage', ticket, deadline, usage }));
  }

  /** @param askedAt when the request was complete. Its deadline counts from then. */
  #send(
    make: (ticket: number, deadline: number) => WriterCommand,
    bytes = 0,
    askedAt = monotonicMs(),
  ): Promise<WriteOutcome> {
    const { commandsMax, bytesMax, deadlineMs } = this.#options;
    if (this.#isFailed) return Promise.resolve({ kind: 'dropped' });
    if (this.#unsettled.size >= commandsMax || this.#unsettledBytes + bytes > bytesMax)
      return Promise.resolve({ kind: 'overloaded' });
    const ticket = this.#nextTicket;
    assert(!this.#unsettled.has(ticket), 'a ticket is given to one command');
    this.#nextTicket = (ticket + 1) | 0;
    this.#note(ticket, bytes);
    const deadline = Math.min(monotonicMs(), askedAt) + deadlineMs;
    return new Promise((settle) => {
      this.#waiters.set(ticket, { deadline, settle });
      this.#batch.add(make(ticket, deadline));
    });
  }

  /** Counts a command that was sent or, with null, one that has its result. */
  #note(ticket: number, bytes: number | null): void {
    if (bytes !== null) this.#unsettled.set(ticket, bytes);
    this.#unsettledBytes += bytes ?? -(this.#unsettled.get(ticket) ?? 0);
    if (bytes === null) this.#unsettled.delete(ticket);
    assert(this.#unsettledBytes >= 0, 'only queued bodies leave the queue');
    Atomics.store(this.#cells, unsettledCell, this.#unsettled.size);
    Atomics.store(this.#cells, unsettledBytesCell, this.#unsettledBytes);
  }

  #receive(results: WriterResults): void {
    for (const [ticket, result] of results) {
      assert(this.#unsettled.has(ticket), 'a command has one result');
      this.#note(ticket, null);
      this.#settle(ticket, result);
    }
  }

  #settle(ticket: number, outcome: WriteOutcome): void {
    const waiter = this.#waiters.get(ticket);
    this.#waiters.delete(ticket);
    waiter?.settle(outcome);
  }

  /**
   * Refuses commands that are past their deadline and not begun: the writer drops such a command when it reaches it. A
   * command that was begun, and has waited for the cluster too long, may or may not be applied.
   */
  expire(now: number): void {
    const { answerMs } = this.#options;
    for (const [ticket, { deadline }] of this.#waiters) {
      if (deadline >= now) continue;
      if (!this.#isBegun(ticket)) this.#settle(ticket, { kind: 'dropped' });
      else if (answerMs !== null && now > deadline + answerMs + reportGraceMs)
        this.#settle(ticket, { kind: 'unknown' });
    }
  }

  #isBegun(ticket: number): boolean {
    return ((ticket - Atomics.load(this.#cells, begunCell)) | 0) <= 0;
  }

  /**
   * The writer has failed. Commands that it has begun may have been applied.
   *
   * @param mayBegin it hangs, and may begin the remaining commands before the process ends
   */
  fail(mayBegin: boolean): void {
    this.#isFailed = true;
    for (let left = receiveMessageOnPort(this.#port); left !== undefined; ) {
      this.#receive(left.message as WriterResults);
      left = receiveMessageOnPort(this.#port);
    }
    for (const ticket of [...this.#waiters.keys()]) {
      const isDropped = !mayBegin && !this.#isBegun(ticket);
      this.#settle(ticket, { kind: isDropped ? 'dropped' : 'unknown' });
    }
  }

  /** Commands sent since the start. It wraps at 2 ** 31. */
  get sent(): number {
    return this.#nextTicket - 1;
  }

  /** @param ms how long a command waits for others, to be sent and committed with them. 0: it does not wait */
  batchFor(ms: number): void {
    this.#batch.delayMs = Math.min(ms, this.#options.deadlineMs / 4);
  }

  /** Sends the waiting commands now. */
  flush(): void {
    this.#batch.flush();
  }

  /** Nothing is sent or received after this. */
  close(): void {
    this.#lookout.close();
    this.flush();
    this.#port.close();
  }
}

/** The main thread's view of the writer's clients: itself and each worker. */
export class WriterLinks {
  readonly #post: (request: WriterRequest, transferList: readonly MessagePort[]) => void;
  readonly #stamp = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #open = new Set<WriterLink>();

  constructor(post: (request: WriterRequest, transferList: readonly MessagePort[]) => void) {
    this.#post = post;
  }

  /** The port of the result may be transferred to another thread. */
  open(): WriterLink {
    const { port1, port2 } = new MessageChannel();
    const memory = new SharedArrayBuffer(linkCells * Int32Array.BYTES_PER_ELEMENT);
    this.#post({ kind: 'connect', port: port2, memory }, [port2]);
    const link = { port: port1, memory, stamp: this.#stamp };
    this.#open.add(link);
    return link;
  }

  /** The client's thread has ended. */
  forget(link: WriterLink): void {
    this.#open.delete(link);
  }

  /** Commands of all clients that have no result yet. */
  get unsettled(): number {
    return this.#sum(unsettledCell);
  }

  /** Bytes of their bodies. */
  get unsettledBytes(): number {
    return this.#sum(unsettledBytesCell);
  }

  #sum(cell: number): number {
    let sum = 0;
    for (const { memory } of this.#open) sum += Atomics.load(new Int32Array(memory), cell);
    return sum;
  }
}
