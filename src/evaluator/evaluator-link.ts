import type { MessagePort } from 'node:worker_threads';
import type { ConsoleCall } from '../contracts/console/console-call.ts';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import { hasRawCharacter } from '../support/raw-character.ts';
import { turnNow, withFreshTurn } from '../support/turn-clock.ts';
import type { CountedEvaluations, EvaluatorReply, EvaluatorRequest } from './evaluator-protocol.ts';
import {
  abandonedCell,
  doneCell,
  headCell,
  type Mailbox,
  type MailboxMemory,
  openMailbox,
  payloadBytesMax,
  progressCell,
} from './mailbox.ts';
import type { ChunkReceiver, EvaluationReceiver } from './receiver-protocol.ts';
import { SlotRing } from './slot-ring.ts';

export type Submission = 'sent' | 'full' | 'not-ascii';

/** What a port request asks; the link gives it its id. */
export type LongRequest =
  | { readonly kind: 'evaluate-project'; readonly projectId: string; readonly query: string }
  | { readonly kind: 'management-read'; readonly call: ManagementCall }
  | { readonly kind: 'console-read'; readonly call: ConsoleCall };

export interface EvaluatorLinkHooks {
  /** Its store is open and its mailbox is served. */
  onReady(): void;
  /** What it has answered, flag by flag, since the last time. */
  onCounted(counted: CountedEvaluations): void;
}

interface OpenRequest {
  readonly receiver: ChunkReceiver;
  readonly deadline: number;
  hasBegun: boolean;
}

const overdue = 'The request was not evaluated within its deadline. Retry in a moment.';

/** A receiver of chunks that hands a short answer on as an evaluation: for a query that does not fit a slot. */
function asChunkReceiver(receiver: EvaluationReceiver): ChunkReceiver {
  return {
    receiveChunk: (head, bytes) => receiver.receiveEvaluation(head?.status ?? 500, bytes),
    receiveCut: (reason) => receiver.receiveUnavailable(reason),
    receiveFailure: () => receiver.receiveFailure(),
    receiveUnavailable: (detail) => receiver.receiveUnavailable(detail),
  };
}

/**
 * What the gateway holds of one evaluator: its ring, published once per event-loop turn, and its port for what does not
 * fit a slot. Everything that waits is bounded by the ring, and has a deadline.
 */
export class EvaluatorLink {
  readonly #mailbox: Mailbox;
  readonly #ring: SlotRing;
  readonly #port: MessagePort;
  readonly #deadlineMs: number;
  readonly #hooks: EvaluatorLinkHooks;
  readonly #open = new Map<number, OpenRequest>();
  /** Announcements of `more` and `cancel` that found the ring full. At most a few per open request. */
  readonly #postponed: EvaluatorRequest[] = [];
  #nextId = 1;
  #isTurnScheduled = false;
  #progressSeen = -1;
  #progressSeenAt = 0;
  isReady = false;
  isFailed = false;

  /**
   * Resolves when everything that the evaluator has sent has been received: by its last message, or by the end of its
   * thread. The end of its port alone is not told while its thread waits for another task.
   */
  readonly ended: Promise<void>;

  constructor(memory: MailboxMemory, port: MessagePort, deadlineMs: number, hooks: EvaluatorLinkHooks) {
    this.#mailbox = openMailbox(memory);
    this.#ring = new SlotRing(this.#mailbox);
    this.#port = port;
    this.#deadlineMs = deadlineMs;
    this.#hooks = hooks;
    this.ended = new Promise((resolve) => {
      port.once('close', resolve);
      port.on('message', (reply: EvaluatorReply) => {
        if (reply.kind === 'ended') resolve();
        else withFreshTurn(() => this.#receive(reply));
      });
    });
  }

  get inFlight(): number {
    return this.#ring.inFlight + this.#open.size;
  }

  /** Slots that the evaluator has not answered. */
  get queueDepth(): number {
    const { control } = this.#mailbox;
    return (Atomics.load(control, headCell) - Atomics.load(control, doneCell)) | 0;
  }

  /** Puts one evaluation into the ring. Nothing was taken when the result is not `sent`. */
  evaluate(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
    if (flagId.length + query.length > payloadBytesMax) return this.#evaluateByPort(receiver, flagId, query);
    if (!this.#hasRoom) return 'full';
    return this.#ring.fillEvaluation(receiver, flagId, query, this.#deadline()) ? 'sent' : 'not-ascii';
  }

  #evaluateByPort(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
    if (hasRawCharacter(flagId) || hasRawCharacter(query)) return 'not-ascii';
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
    if (!this.#hasRoom || this.#open.size >= this.#mailbox.slotCount) return null;
    const id = this.#nextId;
    this.#nextId += 1;
    this.#open.set(id, { receiver, deadline: this.#deadline(), hasBegun: false });
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
    this.#port.postMessage(request);
    this.#ring.fillAnnouncement(this.#deadline());
    this.#scheduleTurn();
  }

  get #hasRoom(): boolean {
    return !this.isFailed && this.#ring.hasRoom;
  }

  #deadline(): number {
    this.#scheduleTurn();
    return turnNow() + this.#deadlineMs;
  }

  /** Once per event-loop turn: everything that arrived in the turn goes out together. */
  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => withFreshTurn(() => this.#turn()));
  }

  #turn(): void {
    this.#isTurnScheduled = false;
    if (this.isFailed) return;
    while (this.#postponed.length > 0 && this.#ring.hasRoom) {
      this.#announce(this.#postponed.shift() as EvaluatorRequest);
    }
    this.#ring.publish();
    this.#drain();
  }

  #drain(): void {
    this.#ring.drainAndAsk();
    if (this.#postponed.length > 0 && this.#ring.hasRoom) this.#scheduleTurn();
  }

  #receive(reply: Exclude<EvaluatorReply, { kind: 'ended' }>): void {
    if (this.isFailed) return;
    if (reply.kind === 'woken') this.#drain();
    else if (reply.kind === 'chunk') this.#receiveChunk(reply);
    else if (reply.kind === 'counted') this.#hooks.onCounted(reply.counted);
    else if (reply.kind === 'cut') this.#receiveCut(reply.id, reply.reason);
    else if (reply.kind === 'failed') this.#receiveFailure(reply.id);
    else if (reply.kind === 'oversized') this.#ring.receiveOversized(reply.count, reply.status, reply.bytes);
    else {
      this.isReady = true;
      this.#hooks.onReady();
    }
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
    endIncomplete(request, `The answer was not completed: ${reason}.`);
  }

  #receiveFailure(id: number): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    if (request.hasBegun) request.receiver.receiveCut('it failed');
    else request.receiver.receiveFailure();
  }

  /** Refuses what has waited past its deadline. */
  expire(now: number): void {
    this.#ring.expire(now, overdue);
    for (const [id, request] of this.#open) {
      if (request.hasBegun || request.deadline > now) continue;
      this.cancel(id);
      request.receiver.receiveUnavailable(overdue);
    }
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

  /** The evaluator is gone, or given up: everything that waits for it is refused, and nothing more is taken. */
  fail(detail: string): void {
    this.isFailed = true;
    this.isReady = false;
    Atomics.store(this.#mailbox.control, abandonedCell, 1);
    Atomics.notify(this.#mailbox.control, headCell);
    this.#ring.refuseAll(detail);
    const requests = [...this.#open.values()];
    this.#open.clear();
    this.#postponed.length = 0;
    for (const request of requests) endIncomplete(request, detail);
    this.#port.close();
  }
}

function endIncomplete(request: OpenRequest, detail: string): void {
  if (request.hasBegun) request.receiver.receiveCut(detail);
  else request.receiver.receiveUnavailable(detail);
}
