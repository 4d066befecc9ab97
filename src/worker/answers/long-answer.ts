import type { Coding } from '../../http/content-coding.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { CutAnswer, type TextPieces } from '../../support/text-pieces.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import type { AnswerEncoder } from './answer-encoder.ts';
import { ChunkBuffer } from './chunk-buffer.ts';
import type { LongAnswerPlace } from './long-answer-room.ts';

/** An answer of any length, before its body is made. */
export interface LongAnswer {
  readonly exchange: Exchange;
  /** The status. Known once a piece is not empty, or there are no more pieces. */
  readonly status: number;
  readonly pieces: TextPieces;
  /** Bytes kept in memory now for the rest of the answer: a record, or a body that was made whole. */
  heldBytes(): number;
  /** Whether the pieces are read from a snapshot of their own, which keeps pages of the store from being reused. */
  readonly isPinned: boolean;
  /** The body says that a change was applied. Such an answer is sent even when there is no place for it. */
  readonly isDecided?: boolean;
  /** When its request was here whole, by `monotonicMs`: its first bytes are due a deadline later. By default now. */
  readonly askedAt?: number;
  /** The holder that its place is counted for. Asked only while its request is handled. */
  holder(): Holder;
  /** Gives back what the pieces are read from. Called once. */
  release(): void;
  /** @param coding of its encoder */
  headers(coding: Coding | null): HeaderBlock;
  /** The encoder through which an answer of several chunks goes, if there is one. Closed with the answer. */
  encoder?(): AnswerEncoder | null;
  /** Sends an answer that fits into one chunk. @param bytes valid during the call only */
  answerWhole(bytes: Uint8Array): void;
  /** Answers with a 503 instead of the first chunk. */
  refuse(detail: string): void;
  /** The answer threw. @param hasBegun false: its client has no answer yet */
  fail(fault: unknown, hasBegun: boolean): void;
  /** An answer of several chunks begins. Called before its headers are asked for. */
  onBegin?(): void;
  /** An answer of several chunks is over: the client's socket took the last byte, or the answer was cut. */
  onOver(): void;
}

/**
 * This many bytes at the end of the last chunk are kept back, to write one by one: more than a socket is ever asked.
 */
const keptBackMax = 1024;
export const tooMany = 'Too many long lists are being read at once. Retry in a moment.';
const tooMuch = 'too much is kept for long answers that are being read; retry in a moment';
const nothing = new Uint8Array(0);

export interface SendingHooks {
  /** The client has taken what was written: the answer can go on. */
  onRunnable(sending: Sending): void;
  onOver(sending: Sending): void;
  /** @returns null when there is no place for it */
  seat(sending: Sending, holder: Holder): LongAnswerPlace | null;
  /** @returns false when there is no room for the bytes that it keeps */
  resize(sending: Sending, place: LongAnswerPlace): boolean;
  leave(place: LongAnswerPlace): void;
}

/** One long answer on its way: made piece by piece, and written no faster than its client reads it. */
export class Sending {
  readonly answer: LongAnswer;
  readonly startedAt = monotonicMs();
  readonly #pieces: Iterator<string | Uint8Array>;
  readonly #buffer = new ChunkBuffer();
  readonly #hooks: SendingHooks;
  place: LongAnswerPlace | null = null;
  /** The bytes that its place is counted with. */
  #countedBytes = 0;
  #holder: Holder | null = null;
  #hasBegun = false;
  /** Since when the client's socket has not taken what was written; null when it has taken all. */
  behindSince: number | null = null;
  #isMade = false;
  #encoder: AnswerEncoder | null = null;
  /** A chunk is being compressed. */
  #isCoding = false;
  /** The end of the last chunk, which is not written yet. */
  #keptBack: Uint8Array = nothing;
  isOver = false;

  constructor(answer: LongAnswer, hooks: SendingHooks) {
    this.answer = answer;
    this.#hooks = hooks;
    this.#pieces = answer.pieces[Symbol.iterator]();
    answer.exchange.onAborted(() => this.close());
  }

  /** Asked for while the request is handled, or never: an answer that is made at once takes nobody's share. */
  get holder(): Holder {
    this.#holder ??= this.answer.holder();
    return this.#holder;
  }

  /** The client has received nothing of it yet. */
  get isWaiting(): boolean {
    return !this.#hasBegun && !this.isOver;
  }

  /** A change that was applied is reported as applied, however late. */
  get mayBeRefused(): boolean {
    return this.isWaiting && this.answer.isDecided !== true;
  }

  get isRunnable(): boolean {
    return !this.isOver && this.behindSince === null && !this.#isMade && !this.#isCoding;
  }

  /** Works until the time is up, the client is behind, or the answer is made; at least `stepsMin` steps. */
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
      this.#writeNext(this.#buffer.take());
      return;
    }
    const piece = this.#pieces.next();
    if (piece.done !== true) {
      this.#buffer.add(piece.value);
      return;
    }
    if (this.#hasBegun) this.#finishWith(this.#buffer.take());
    else {
      // The chunk stays valid although its buffer goes back: no other answer takes the buffer before this one is given.
      const whole = this.#buffer.take();
      this.close();
      this.answer.answerWhole(whole);
    }
  }

  /** Bytes kept in memory for it, beside a chunk. */
  get heldBytes(): number {
    return this.answer.heldBytes() + this.#buffer.extraBytes + (this.#encoder?.heldBytes ?? 0);
  }

  /** @returns false when there is no room for what it keeps */
  #recount(): boolean {
    if (this.place === null || this.heldBytes === this.#countedBytes) return true;
    this.#countedBytes = this.heldBytes;
    return this.#hooks.resize(this, this.place);
  }

  /** Takes a place, unless it has one. @returns false: there was none, and the answer is over */
  requirePlace(): boolean {
    if (this.place !== null || this.isOver) return !this.isOver;
    this.#countedBytes = this.heldBytes;
    this.place = this.#hooks.seat(this, this.holder);
    if (this.place !== null) return true;
    this.#giveUp(tooMany);
    return false;
  }

  /** The chunk stays as it is while it is compressed: the answer does not go on before. */
  #writeNext(bytes: Uint8Array): void {
    if (!this.#hasBegun && !this.#begin()) return;
    if (this.#encoder === null) {
      this.#write(bytes);
      return;
    }
    this.#isCoding = true;
    const done = (coded: Uint8Array): void => {
      this.#isCoding = false;
      if (coded.length > 0) this.#write(coded);
      if (this.isRunnable) this.#hooks.onRunnable(this);
    };
    this.#encoder.add(bytes, done, (fault) => this.#end(fault));
  }

  #write(bytes: Uint8Array): void {
    const { exchange } = this.answer;
    if (!exchange.isOver && !exchange.write(bytes)) this.behindSince = monotonicMs();
  }

  /** @returns false: there is no place for it, and it is over */
  #begin(): boolean {
    const { answer } = this;
    // An answer to HEAD is its head alone.
    const needsPlace = answer.isDecided !== true && !answer.exchange.isHead;
    if (needsPlace && !this.requirePlace()) return false;
    this.#hasBegun = true;
    answer.onBegin?.();
    answer.exchange.onWritable(() => this.#resume());
    if (!answer.exchange.isHead) this.#encoder = answer.encoder?.() ?? null;
    answer.exchange.begin(answer.status, answer.headers(this.#encoder?.coding ?? null));
    if (answer.exchange.isOver) this.close();
    return !this.isOver;
  }

  #finishWith(bytes: Uint8Array): void {
    this.#isMade = true;
    this.answer.release();
    if (this.#encoder === null) {
      this.#writeLast(bytes);
      return;
    }
    this.#isCoding = true;
    const done = (coded: Uint8Array): void => {
      this.#isCoding = false;
      this.#writeLast(coded);
    };
    this.#encoder.finish(bytes, done, (fault) => this.#end(fault));
  }

  #writeLast(bytes: Uint8Array): void {
    const length = Math.max(0, bytes.length - keptBackMax);
    this.#keptBack = bytes.slice(length);
    this.#write(bytes.subarray(0, length));
    this.#buffer.release();
    if (this.behindSince === null) this.#finish();
  }

  #resume(): void {
    if (this.#isCoding) return;
    const wasBehind = this.behindSince !== null;
    this.behindSince = this.#isMade ? monotonicMs() : null;
    if (this.#isMade) this.#finishWhenTaken();
    else if (wasBehind) this.#hooks.onRunnable(this);
  }

  /**
   * «Writable» means that the socket takes bytes again, not that it took all: only another write tells. So a byte that
   * was kept back is written to ask. Nothing may be added to an answer for this: a blank line is not white space in
   * every format.
   */
  #finishWhenTaken(): void {
    const next = this.#keptBack.subarray(0, 1);
    this.#keptBack = this.#keptBack.subarray(1);
    if (next.length === 0 || this.answer.exchange.writeThrough(next)) this.#finish();
  }

  /** Ends the answer once the client took everything: a service that drains may close right after it. */
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
   * Ends the answer incomplete, and its connection with it; a client that has received nothing gets a 503 with the
   * reason. The answer is over before its connection is: watchers of the connection would take it for a client that
   * went away.
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

  /** Gives back everything that it holds: the answer is complete, failed, or not wanted any more. */
  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#pieces.return?.();
    this.#buffer.release();
    this.#encoder?.close();
    if (!this.#isMade) this.answer.release();
    if (this.#hasBegun) this.answer.onOver();
    const { place } = this;
    // What it keeps is not counted any more: the step that ends the answer is followed by a count.
    this.place = null;
    if (place !== null) this.#hooks.leave(place);
    this.#hooks.onOver(this);
  }
}
