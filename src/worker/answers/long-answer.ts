import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { CutAnswer, type TextPieces } from '../../support/text-pieces.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

/** An answer of any length, before it is made. */
export interface LongAnswer {
  readonly exchange: Exchange;
  /** Known once there is a piece that is not empty, or no more. */
  readonly status: number;
  readonly pieces: TextPieces;
  /** What is kept in memory now for what is still to come: a record, or a body that was made whole. */
  readonly heldBytes: number;
  /** Whether the pieces are read from a snapshot of their own, which pins pages. */
  readonly isPinned: boolean;
  /** It says that a change was applied: it begins whether there is a place for it or not. */
  readonly isDecided?: boolean;
  /** Whom its place is counted for; asked while its request is handled. */
  holder(): Holder;
  /** Lets go of what the pieces are read from. Called once. */
  release(): void;
  headers(): HeaderBlock;
  /** An answer that one chunk holds. @param bytes valid during the call only */
  answerWhole(bytes: Uint8Array): void;
  /** Instead of the first chunk. */
  refuse(detail: string): void;
  /** It threw. @param hasBegun otherwise its client is still to be answered */
  fail(fault: unknown, hasBegun: boolean): void;
  /** An answer of several chunks begins, before its headers are asked for. */
  onBegin?(): void;
  /** An answer of several chunks is over: its client's socket took the last byte, or it was cut. */
  onOver(): void;
}

/** A place of those that the process has for long answers, and one of those for snapshots; null: it has none. */
export interface LongAnswerPlace {
  readonly answer: number;
  readonly snapshot: number | null;
}

/** Of the last chunk so much is kept back, to ask with: more bytes than a socket is ever asked. */
const keptBackMax = 1024;
const tooMany = 'Too many long lists are being read at once. Retry in a moment.';
const tooMuch = 'too much is kept for long answers that are being read; retry in a moment';
const nothing = new Uint8Array(0);

export interface SendingHooks {
  /** Its client has taken what was written: it can go on. */
  onRunnable(sending: Sending): void;
  onOver(sending: Sending): void;
  /** @returns null: there is no place for it */
  seat(sending: Sending, holder: Holder): LongAnswerPlace | null;
  /** @returns false: there is no room for what it keeps */
  resize(sending: Sending, place: LongAnswerPlace): boolean;
  leave(place: LongAnswerPlace): void;
}

/** One long answer on its way: made piece by piece, and written no faster than its client takes it. */
export class Sending {
  readonly answer: LongAnswer;
  readonly startedAt = monotonicMs();
  readonly #pieces: Iterator<string | Uint8Array>;
  readonly #buffer = new ChunkBuffer();
  readonly #hooks: SendingHooks;
  place: LongAnswerPlace | null = null;
  /** What its place is counted with. */
  #countedBytes = 0;
  #holder: Holder | null = null;
  #hasBegun = false;
  /** Since when the client's socket has not taken what was written; null when it has. */
  behindSince: number | null = null;
  #isMade = false;
  /** The end of the last chunk, not written yet. */
  #keptBack: Uint8Array = nothing;
  isOver = false;

  constructor(answer: LongAnswer, hooks: SendingHooks) {
    this.answer = answer;
    this.#hooks = hooks;
    this.#pieces = answer.pieces[Symbol.iterator]();
    answer.exchange.onAborted(() => this.close());
  }

  /** Asked for while its request is handled, or not at all: an answer that is made at once is nobody's. */
  get holder(): Holder {
    this.#holder ??= this.answer.holder();
    return this.#holder;
  }

  /** Its client has had nothing of it yet. */
  get isWaiting(): boolean {
    return !this.#hasBegun && !this.isOver;
  }

  /** A change that was applied is told as applied, however late. */
  get mayBeRefused(): boolean {
    return this.isWaiting && this.answer.isDecided !== true;
  }

  get isRunnable(): boolean {
    return !this.isOver && this.behindSince === null && !this.#isMade;
  }

  /** Works until the time is up, the client is behind, or the answer is made: so many steps at least. */
  run(untilMs: number, stepsMin = 1): void {
    try {
      for (let made = 0; this.isRunnable && (made < stepsMin || monotonicMs() < untilMs); made += 1) {
        this.#step();
        if (!this.#recount()) this.cut(tooMuch);
      }
    } catch (fault) {
      this.#end(fault);
    }
  }

  #step(): void {
    // A piece may be many chunks: each is written when the client has taken the one before.
    if (this.#buffer.isOverfull) {
      this.#write(this.#buffer.take());
      return;
    }
    const piece = this.#pieces.next();
    if (piece.done !== true) {
      this.#buffer.add(piece.value);
      return;
    }
    if (this.#hasBegun) this.#writeLast(this.#buffer.take());
    else {
      // Its buffer is free from here on, and no other answer takes it before this one is given.
      const whole = this.#buffer.take();
      this.close();
      this.answer.answerWhole(whole);
    }
  }

  /** What is kept in memory for it, beside a chunk. */
  get heldBytes(): number {
    return this.answer.heldBytes + this.#buffer.extraBytes;
  }

  /** @returns false: there is no room for what is kept */
  #recount(): boolean {
    if (this.place === null || this.heldBytes === this.#countedBytes) return true;
    this.#countedBytes = this.heldBytes;
    return this.#hooks.resize(this, this.place);
  }

  /** Takes its place, unless it has one: an answer that is made at once, whole, needs none. @returns false: it is over */
  requirePlace(): boolean {
    if (this.place !== null || this.isOver) return !this.isOver;
    this.#countedBytes = this.heldBytes;
    this.place = this.#hooks.seat(this, this.holder);
    if (this.place !== null) return true;
    this.#giveUp(tooMany);
    return false;
  }

  #write(bytes: Uint8Array): void {
    const { exchange } = this.answer;
    if (!this.#hasBegun && !this.#begin()) return;
    if (!exchange.isOver && !exchange.write(bytes)) this.behindSince = monotonicMs();
  }

  /** @returns false: it has no place, and is over */
  #begin(): boolean {
    const { answer } = this;
    // HEAD is answered whole by its head.
    const needsPlace = answer.isDecided !== true && !answer.exchange.isHead;
    if (needsPlace && !this.requirePlace()) return false;
    this.#hasBegun = true;
    answer.onBegin?.();
    answer.exchange.onWritable(() => this.#resume());
    answer.exchange.begin(answer.status, answer.headers());
    if (answer.exchange.isOver) this.close();
    return true;
  }

  #writeLast(bytes: Uint8Array): void {
    this.#isMade = true;
    const length = Math.max(0, bytes.length - keptBackMax);
    this.#keptBack = bytes.slice(length);
    this.answer.release();
    this.#write(bytes.subarray(0, length));
    this.#buffer.release();
    if (this.behindSince === null) this.#finish();
  }

  #resume(): void {
    const wasBehind = this.behindSince !== null;
    this.behindSince = this.#isMade ? monotonicMs() : null;
    if (this.#isMade) this.#finishWhenTaken();
    else if (wasBehind) this.#hooks.onRunnable(this);
  }

  /**
   * The socket takes bytes again, which does not say that it took all: only another write tells. So the next byte of
   * what is kept back asks; nothing may be added to an answer, for a blank line is not white space in every format.
   */
  #finishWhenTaken(): void {
    const next = this.#keptBack.subarray(0, 1);
    this.#keptBack = this.#keptBack.subarray(1);
    if (next.length === 0 || this.answer.exchange.writeThrough(next)) this.#finish();
  }

  /** Only once everything was taken: a service that drains may close right after it. */
  #finish(): void {
    const { exchange } = this.answer;
    if (exchange.isOver) return;
    if (this.#keptBack.length > 0) exchange.write(this.#keptBack);
    exchange.end();
    this.close();
  }

  #end(fault: unknown): void {
    const hasBegun = this.#hasBegun;
    if (fault instanceof CutAnswer) this.cut(fault.message);
    else {
      this.close();
      if (hasBegun) this.answer.exchange.cut();
      this.answer.fail(fault, hasBegun);
    }
  }

  /**
   * The answer ends here, incomplete, and its connection with it; a client without its beginning is told why. It is over
   * before its connection is: what watches connections would take it for a client that went away.
   */
  cut(reason: string): void {
    this.#giveUp(`The answer was not completed: ${reason}.`);
  }

  #giveUp(detail: string): void {
    if (this.isOver) return;
    this.close();
    if (this.#hasBegun) this.answer.exchange.cut();
    else this.answer.refuse(detail);
  }

  /** Lets go of everything: the answer is complete, failed, or not wanted any more. */
  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#pieces.return?.();
    this.#buffer.release();
    if (!this.#isMade) this.answer.release();
    if (this.#hasBegun) this.answer.onOver();
    if (this.place !== null) this.#hooks.leave(this.place);
    this.#hooks.onOver(this);
  }
}
