import type { MessagePort, Worker } from 'node:worker_threads';
import type { Denial } from '../../domain/token/denial.ts';
import type { ApiCall } from '../../operations/call.ts';
import { assert } from '../../support/assert.ts';
import { HeldPlaces } from '../../support/fair-share.ts';
import { HeldCommands, transferredBytes } from '../../support/held-commands.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { OutboxCommand } from './outbox-protocol.ts';
import { QueueDelay } from './queue-delay.ts';
import {
  pulseBegunCell,
  type Usage,
  unsettledMax,
  type WriterCommand,
  type WriterPulse,
  type WriterReply,
  type WriterRequest,
  type WriterResult,
} from './writer-protocol.ts';

/** What a caller is told: `unknown` also when the writer died, `cut-off` and `overloaded` also when nothing was sent to it. */
export type WriteOutcome = WriterResult | { readonly kind: 'overloaded' };

/** A command that the writer has not told the result of. */
interface Unsettled {
  /** Of its body. */
  readonly bytes: number;
  readonly queue: QueueDelay;
  /** Of a command that takes long; null for all others. */
  readonly account: string | null;
}

interface Waiting {
  readonly deadline: number;
  settle(outcome: WriteOutcome): void;
}

/** Of the commands at the writer's port. */
const unsettledBytesMax = 64 * 1024 * 1024;
/** Of the deadline: a change that would wait longer is refused at once. The other half is for disks that are slow at times. */
const delayShareMax = 0.5;
/** Of the deadline: what the writer did within so much of its time is taken for its speed. */
const rememberedShare = 0.1;
/** The writer tells by itself what waits too long, and knows more: this is for what it cannot tell in time. */
const slackMs = 500;
/** So many may always wait, however slow the last ones were: they tell when the writer is fast again. */
const alwaysWaitingMax = 4;

/** Nobody looks at it here once it is sent. */
function bodyOf(command: WriterCommand): Uint8Array | null {
  return 'call' in command ? command.call.body : null;
}

/** What a request holds of the writer. */
export interface WriterPort {
  write(call: ApiCall): Promise<WriteOutcome>;
  recordDenial(denial: Denial): Promise<WriteOutcome>;
}

/** What the main thread holds of the writer, for all workers. Each call is answered once: at its deadline at the latest, unless it was begun. */
export class WriterClient implements WriterPort {
  readonly #port: Worker | MessagePort;
  readonly #pulse: Int32Array<SharedArrayBuffer>;
  readonly #deadlineMs: number;
  readonly #answerMs: number | null;
  readonly #held: HeldCommands<WriterCommand>;
  readonly #waiting = new Map<number, Waiting>();
  /** Also those whose callers were refused. */
  readonly #unsettled = new Map<number, Unsettled>();
  readonly #longOfAccounts = new HeldPlaces();
  readonly #shortDelay: QueueDelay;
  readonly #longDelay: QueueDelay;
  #unsettledBytesSum = 0;
  #nextTicket = 1;
  #isFailed = false;

  /**
   * @param deadlineMs within which a change is begun, or refused
   * @param answerMs within which one that was begun is answered afterwards; null: the writer waits for nobody
   */
  constructor(
    port: Worker | MessagePort,
    pulse: WriterPulse,
    deadlineMs: number,
    answerMs: number | null = null,
  ) {
    this.#port = port;
    this.#pulse = new Int32Array(pulse);
    this.#deadlineMs = deadlineMs;
    this.#answerMs = answerMs;
    this.#shortDelay = new QueueDelay(deadlineMs * rememberedShare);
    this.#longDelay = new QueueDelay(deadlineMs * rememberedShare);
    this.#held = new HeldCommands((commands) => {
      const request: WriterRequest = { kind: 'commands', commands };
      this.#port.postMessage(request, transferredBytes(commands.map(bodyOf)));
    });
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  /** Commands that the writer has not told the result of. */
  get queueDepth(): number {
    return this.#unsettled.size;
  }

  /** Bytes of their bodies. */
  get queueBytes(): number {
    return this.#unsettledBytesSum;
  }

  get isServing(): boolean {
    return !this.#isFailed;
  }

  /** Commands that were ever sent. */
  get commandsSent(): number {
    return this.#nextTicket - 1;
  }

  write(call: ApiCall): Promise<WriteOutcome> {
    const [bytes, account] = [call.body?.length ?? 0, call.turnOf ?? null];
    if (this.#isTooSlow(account, call.askedAt)) return Promise.resolve({ kind: 'overloaded' });
    const make = (ticket: number, deadline: number): WriterCommand => ({
      kind: 'write',
      ticket,
      deadline,
      call,
    });
    return this.#send(make, bytes, account, call.askedAt);
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

  /** What waits at the writer's port is bounded, however long the writer is busy: above it nothing is sent. */
  #hasRoom(bytes: number): boolean {
    if (this.#unsettled.size >= unsettledMax) return false;
    return this.#unsettledBytesSum + bytes <= unsettledBytesMax;
  }

  #delayOf(account: string | null): QueueDelay {
    return account === null ? this.#shortDelay : this.#longDelay;
  }

  /**
   * Whether a change that somebody asks for would wait so long that its answer may be late: then it is better told so at
   * once. What the service does for itself is not asked.
   */
  #isTooSlow(account: string | null, askedAt = monotonicMs()): boolean {
    // Accounts take turns, so the first one of an account does not wait for all those of others.
    if (account !== null && this.#longOfAccounts.of(account) === 0) return false;
    const delay = this.#delayOf(account);
    const leftMs = askedAt + this.#deadlineMs - monotonicMs();
    const waitMsMax = Math.min(leftMs, this.#deadlineMs * delayShareMax);
    return delay.depth >= alwaysWaitingMax && delay.expectedMs > waitMsMax;
  }

  #send(
    make: (ticket: number, deadline: number) => WriterCommand,
    bytes = 0,
    account: string | null = null,
    askedAt = monotonicMs(),
  ): Promise<WriteOutcome> {
    if (this.#isFailed) return Promise.resolve({ kind: 'dropped' });
    if (!this.#hasRoom(bytes)) return Promise.resolve({ kind: 'overloaded' });
    const ticket = this.#nextTicket;
    assert(!this.#unsettled.has(ticket), 'a ticket is given to one command');
    const queue = this.#delayOf(account);
    this.#unsettled.set(ticket, { bytes, queue, account });
    if (account !== null) this.#longOfAccounts.take(account);
    this.#unsettledBytesSum += bytes;
    this.#nextTicket = (ticket + 1) | 0;
    const now = monotonicMs();
    // What has waited elsewhere before has so much less time.
    const deadline = Math.min(now, askedAt) + this.#deadlineMs;
    queue.join(now);
    return new Promise((settle) => {
      this.#waiting.set(ticket, { deadline, settle });
      this.#held.add(make(ticket, deadline));
    });
  }

  receive(reply: WriterReply): void {
    if (reply.kind !== 'results') return;
    const { results, areMoreWaiting } = reply;
    const [first] = results;
    // Results come as they were committed: those that take long one by one, all others by themselves.
    if (first !== undefined) {
      this.#unsettled.get(first[0])?.queue.settle(results.length, monotonicMs(), areMoreWaiting);
    }
    for (const [ticket, result] of results) {
      const command = this.#unsettled.get(ticket);
      assert(command !== undefined, 'the result of a command is told once');
      this.#unsettledBytesSum -= command.bytes;
      this.#unsettled.delete(ticket);
      if (command.account !== null) this.#longOfAccounts.give(command.account);
      this.#settle(ticket, result);
    }
    assert(this.#unsettledBytesSum >= 0, 'bodies leave the queue that were in it');
  }

  #settle(ticket: number, outcome: WriteOutcome): void {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    waiting?.settle(outcome);
  }

  /**
   * Refuses what is past its deadline and not begun: the writer will drop it when it comes to it. What was begun, and has waited
   * for the cluster too long, may be applied or not.
   */
  expire(now: number): void {
    const begun = Atomics.load(this.#pulse, pulseBegunCell);
    for (const [ticket, { deadline }] of this.#waiting) {
      if (deadline >= now) continue;
      if (((ticket - begun) | 0) > 0) this.#settle(ticket, { kind: 'dropped' });
      else if (this.#answerMs !== null && now > deadline + this.#answerMs + slackMs)
        this.#settle(ticket, { kind: 'unknown' });
    }
  }

  /**
   * Nothing more is heard of the writer: what was begun may have been applied.
   *
   * @param mayBegin it hangs, and may come to the rest after all before the process ends
   */
  fail(mayBegin: boolean): void {
    this.#isFailed = true;
    const begun = Atomics.load(this.#pulse, pulseBegunCell);
    for (const ticket of [...this.#waiting.keys()]) {
      const isDropped = !mayBegin && ((ticket - begun) | 0) > 0;
      this.#settle(ticket, { kind: isDropped ? 'dropped' : 'unknown' });
    }
  }

  stop(): void {
    this.#held.flush();
    const request: WriterRequest = { kind: 'stop' };
    this.#port.postMessage(request);
  }
}
