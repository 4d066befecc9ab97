import type { MessagePort } from 'node:worker_threads';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { EvaluatorAnswerHead, EvaluatorReply, EvaluatorRequest } from './evaluator-protocol.ts';
import {
  abandonedCell,
  answeredByPort,
  asleepCell,
  bodyLengthWord,
  doneCell,
  headCell,
  idLengthWord,
  kindByte,
  type Mailbox,
  type MailboxMemory,
  openMailbox,
  payloadBytesMax,
  payloadOffset,
  progressCell,
  queryLengthWord,
  slotBytes,
  slotKinds,
  statusWord,
  wakeCell,
} from './mailbox.ts';

/** Whoever waits for the evaluation of one flag. Exactly one of the two is called, once. */
export interface EvaluationReceiver {
  /** @param body a view of shared memory that is valid during the call only */
  receiveEvaluation(status: number, body: Uint8Array): void;
  receiveUnavailable(detail: string): void;
}

/** Whoever waits for an answer of any length. */
export interface ChunkReceiver {
  /** The first chunk has the head. */
  receiveChunk(head: EvaluatorAnswerHead | null, bytes: Uint8Array, isLast: boolean): void;
  /** The answer ends here, incomplete. */
  receiveCut(reason: string): void;
  /** Instead of a first chunk. */
  receiveUnavailable(detail: string): void;
}

export type Submission = 'sent' | 'full' | 'not-ascii';

/** What a port request asks; the link gives it its id. */
export type LongRequest =
  | { readonly kind: 'evaluate-project'; readonly projectId: string; readonly query: string }
  | { readonly kind: 'management-read'; readonly call: ManagementCall };

interface OpenRequest {
  readonly receiver: ChunkReceiver;
  readonly deadline: number;
  hasBegun: boolean;
}

const overdue = 'The request was not evaluated within its deadline. Retry in a moment.';
const highestAscii = 0x7e;

/** A receiver of chunks that hands a short answer on as an evaluation: for a query that does not fit a slot. */
function asChunkReceiver(receiver: EvaluationReceiver): ChunkReceiver {
  return {
    receiveChunk: (head, bytes) => receiver.receiveEvaluation(head?.status ?? 500, bytes),
    receiveCut: (reason) => receiver.receiveUnavailable(reason),
    receiveUnavailable: (detail) => receiver.receiveUnavailable(detail),
  };
}

/**
 * The gateway's side of one evaluator: fills slots, publishes them once per event-loop turn, and hands the answers out
 * in order. Everything that waits is bounded by the ring, and has a deadline.
 */
export class EvaluatorLink {
  readonly #mailbox: Mailbox;
  readonly #port: MessagePort;
  readonly #deadlineMs: number;
  /** By slot: who waits, and until when. A null has been answered already, or is a message's announcement. */
  readonly #waiting: (EvaluationReceiver | null)[];
  readonly #deadlines: Float64Array;
  /** Who waits for an answer that did not fit its slot, by the slot's count. */
  readonly #oversized = new Map<number, EvaluationReceiver>();
  readonly #open = new Map<number, OpenRequest>();
  /** Announcements of `more` and `cancel` that found the ring full. At most a few per open request. */
  readonly #postponed: EvaluatorRequest[] = [];
  #nextId = 1;
  #filled = 0;
  #published = 0;
  #drained = 0;
  #expired = 0;
  #isTurnScheduled = false;
  #progressSeen = 0;
  #progressSeenAt = 0;
  isReady = false;
  isFailed = false;

  constructor(memory: MailboxMemory, port: MessagePort, deadlineMs: number, onReady: () => void) {
    this.#mailbox = openMailbox(memory);
    this.#port = port;
    this.#deadlineMs = deadlineMs;
    this.#waiting = new Array<EvaluationReceiver | null>(memory.slotCount).fill(null);
    this.#deadlines = new Float64Array(memory.slotCount);
    port.on('message', (reply: EvaluatorReply) => this.#receive(reply, onReady));
  }

  get inFlight(): number {
    return ((this.#filled - this.#drained) | 0) + this.#open.size;
  }

  /** Puts one evaluation into the ring. Nothing was taken when the result is not `sent`. */
  evaluate(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
    if (flagId.length + query.length > payloadBytesMax) return this.#evaluateByPort(receiver, flagId, query);
    if (!this.#hasRoom()) return 'full';
    const slot = this.#filled & this.#mailbox.slotMask;
    const offset = slot * slotBytes;
    const queryStart = offset + payloadOffset + flagId.length;
    if (!this.#copyAscii(flagId, offset + payloadOffset) || !this.#copyAscii(query, queryStart)) {
      return 'not-ascii';
    }
    const { bytes, words } = this.#mailbox;
    bytes[offset + kindByte] = slotKinds.evaluateFlag;
    words[(offset >> 1) + idLengthWord] = flagId.length;
    words[(offset >> 1) + queryLengthWord] = query.length;
    this.#fill(slot, receiver);
    return 'sent';
  }

  #evaluateByPort(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
    for (let at = 0; at < query.length; at += 1) if (query.charCodeAt(at) > highestAscii) return 'not-ascii';
    const id = this.#openRequest(asChunkReceiver(receiver));
    if (id === null) return 'full';
    this.#announce({ kind: 'evaluate-flag', id, flagId, query });
    return 'sent';
  }

  /** @returns the request's id for `allowMore` and `cancel`, or null when the ring is full */
  request(receiver: ChunkReceiver, request: LongRequest): number | null {
    const id = this.#openRequest(receiver);
    if (id !== null) this.#announce({ ...request, id });
    return id;
  }

  #openRequest(receiver: ChunkReceiver): number | null {
    if (!this.#hasRoom() || this.#open.size >= this.#mailbox.slotCount) return null;
    const id = this.#nextId;
    this.#nextId += 1;
    this.#open.set(id, { receiver, deadline: monotonicMs() + this.#deadlineMs, hasBegun: false });
    return id;
  }

  /** The client took a chunk. */
  allowMore(id: number): void {
    if (this.#open.has(id)) this.#postpone({ kind: 'more', id });
  }

  /** The client is gone. */
  cancel(id: number): void {
    if (this.#open.delete(id)) this.#postpone({ kind: 'cancel', id });
  }

  stop(): void {
    this.#postpone({ kind: 'stop' });
  }

  #postpone(request: EvaluatorRequest): void {
    if (this.isFailed) return;
    this.#postponed.push(request);
    this.#scheduleTurn();
  }

  #announce(request: EvaluatorRequest): void {
    const slot = this.#filled & this.#mailbox.slotMask;
    this.#mailbox.bytes[slot * slotBytes + kindByte] = slotKinds.portMessage;
    this.#port.postMessage(request);
    this.#fill(slot, null);
  }

  #hasRoom(): boolean {
    return !this.isFailed && ((this.#filled - this.#drained) | 0) < this.#mailbox.slotCount;
  }

  #copyAscii(text: string, offset: number): boolean {
    const { bytes } = this.#mailbox;
    let highest = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      bytes[offset + at] = code;
      if (code > highest) highest = code;
    }
    return highest <= highestAscii;
  }

  #fill(slot: number, receiver: EvaluationReceiver | null): void {
    this.#waiting[slot] = receiver;
    this.#deadlines[slot] = turnClock.now() + this.#deadlineMs;
    this.#filled = (this.#filled + 1) | 0;
    this.#scheduleTurn();
  }

  /** Once per event-loop turn: everything that arrived in the turn goes out together. */
  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnScheduled = false;
    if (this.isFailed) return;
    this.#sendPostponed();
    this.#publish();
    this.#drainAndAsk();
  }

  #sendPostponed(): void {
    while (this.#postponed.length > 0 && this.#hasRoom()) {
      this.#announce(this.#postponed.shift() as EvaluatorRequest);
    }
  }

  #publish(): void {
    if (this.#published === this.#filled) return;
    const { control } = this.#mailbox;
    this.#published = this.#filled;
    Atomics.store(control, headCell, this.#filled);
    if (Atomics.load(control, asleepCell) === 1) Atomics.notify(control, headCell);
  }

  /** Takes what is done; when more is to come, asks for a message, and looks again in case it was done meanwhile. */
  #drainAndAsk(): void {
    const { control } = this.#mailbox;
    this.#drain();
    if (this.#drained === this.#published) return;
    Atomics.store(control, wakeCell, 1);
    if (Atomics.load(control, doneCell) !== this.#drained) this.#drain();
  }

  #drain(): void {
    const done = Atomics.load(this.#mailbox.control, doneCell);
    while (this.#drained !== done) {
      const slot = this.#drained & this.#mailbox.slotMask;
      const receiver = this.#waiting[slot] ?? null;
      this.#waiting[slot] = null;
      if (receiver !== null) this.#handOut(slot * slotBytes, receiver);
      this.#drained = (this.#drained + 1) | 0;
    }
    if (((this.#drained - this.#expired) | 0) > 0) this.#expired = this.#drained;
    if (this.#postponed.length > 0) this.#scheduleTurn();
  }

  #handOut(offset: number, receiver: EvaluationReceiver): void {
    const { bytes, words } = this.#mailbox;
    const word = offset >> 1;
    const status = words[word + statusWord] as number;
    if (status === answeredByPort) {
      this.#oversized.set(this.#drained, receiver);
      return;
    }
    const start = offset + payloadOffset;
    receiver.receiveEvaluation(
      status,
      bytes.subarray(start, start + (words[word + bodyLengthWord] as number)),
    );
  }

  #receive(reply: EvaluatorReply, onReady: () => void): void {
    if (reply.kind === 'woken') this.#drainAndAsk();
    else if (reply.kind === 'ready') {
      this.isReady = true;
      onReady();
    } else if (reply.kind === 'oversized') this.#receiveOversized(reply.count, reply.status, reply.bytes);
    else if (reply.kind === 'cut') this.#receiveCut(reply.id, reply.reason);
    else this.#receiveChunk(reply);
  }

  /** The message may come before or after its slot is drained. */
  #receiveOversized(count: number, status: number, bytes: Uint8Array): void {
    const slot = count & this.#mailbox.slotMask;
    const receiver = this.#oversized.get(count) ?? this.#waiting[slot];
    if (!this.#oversized.delete(count)) this.#waiting[slot] = null;
    receiver?.receiveEvaluation(status, bytes);
  }

  #receiveChunk(reply: Extract<EvaluatorReply, { kind: 'chunk' }>): void {
    const request = this.#open.get(reply.id);
    if (request === undefined) return;
    request.hasBegun = true;
    if (reply.isLast) this.#open.delete(reply.id);
    request.receiver.receiveChunk(reply.head, reply.bytes, reply.isLast);
  }

  #receiveCut(id: number, reason: string): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    if (request.hasBegun) request.receiver.receiveCut(reason);
    else request.receiver.receiveUnavailable(`The answer was not completed: ${reason}.`);
  }

  /** Refuses what has waited past its deadline. Its slot stays taken until the evaluator has passed it. */
  expire(now: number): void {
    const { slotMask } = this.#mailbox;
    while (((this.#filled - this.#expired) | 0) > 0) {
      const slot = this.#expired & slotMask;
      if ((this.#deadlines[slot] as number) > now) break;
      this.#refuseSlot(slot, overdue);
      this.#expired = (this.#expired + 1) | 0;
    }
    for (const [id, request] of this.#open) {
      if (request.hasBegun || request.deadline > now) continue;
      this.cancel(id);
      request.receiver.receiveUnavailable(overdue);
    }
  }

  #refuseSlot(slot: number, detail: string): void {
    const receiver = this.#waiting[slot];
    this.#waiting[slot] = null;
    receiver?.receiveUnavailable(detail);
  }

  /** @returns whether the evaluator has had work for `forMs` and made no progress. */
  isStuck(now: number, forMs: number): boolean {
    const progress = Atomics.load(this.#mailbox.control, progressCell);
    if (progress !== this.#progressSeen || this.inFlight === 0) {
      this.#progressSeen = progress;
      this.#progressSeenAt = now;
    }
    return now - this.#progressSeenAt > forMs;
  }

  /** The evaluator is gone: everything that waits for it is refused, and nothing more is taken. */
  fail(detail: string): void {
    this.isFailed = true;
    this.isReady = false;
    Atomics.store(this.#mailbox.control, abandonedCell, 1);
    Atomics.notify(this.#mailbox.control, headCell);
    for (let slot = 0; slot < this.#waiting.length; slot += 1) this.#refuseSlot(slot, detail);
    for (const receiver of this.#oversized.values()) receiver.receiveUnavailable(detail);
    for (const request of this.#open.values()) {
      if (request.hasBegun) request.receiver.receiveCut(detail);
      else request.receiver.receiveUnavailable(detail);
    }
    this.#oversized.clear();
    this.#open.clear();
    this.#postponed.length = 0;
    this.#drained = this.#filled;
    this.#port.close();
  }
}

/** The monotonic clock, read once per event-loop turn: a deadline need not be finer. */
const turnClock = {
  value: 0,
  isFresh: false,
  now(): number {
    if (!this.isFresh) {
      this.value = monotonicMs();
      this.isFresh = true;
      setImmediate(() => {
        this.isFresh = false;
      });
    }
    return this.value;
  },
};
