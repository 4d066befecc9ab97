import { CutAnswer } from '../evaluator/cut-answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

/** An answer of any length, before it is made. */
export interface LongAnswer {
  readonly exchange: Exchange;
  readonly status: number;
  /** JSON, cut anywhere; a piece of bytes is valid until the next one is asked for. */
  readonly pieces: Iterable<string | Uint8Array>;
  /** Whether the pieces are read from a snapshot of their own, which pins pages. */
  readonly isPinned: boolean;
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

/** What of the process' bounds one answer takes. */
export interface LongAnswerRoom {
  take(isPinned: boolean): boolean;
  give(isPinned: boolean): void;
}

export interface LongAnswersOptions {
  readonly room: LongAnswerRoom;
  /** Told how long each step took, in milliseconds. */
  onStep(ms: number): void;
}

/** A long answer works this long between two looks at the sockets. */
const sliceMs = 0.5;
/** Answers that are made as soon as they are asked for take this long of a turn of the event loop at most. */
const atOnceMsMax = 1;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const answerAgeMaxMs = 30_000;
const cutIntervalMs = 1000;
/** Of the last chunk so much is kept back, to ask with: more bytes than a socket is ever asked. */
const keptBackMax = 1024;
const tooMany = 'Too many long lists are being read at once. Retry in a moment.';
const nothing = new Uint8Array(0);

/** One long answer on its way: made piece by piece, and written no faster than its client takes it. */
class Sending {
  readonly answer: LongAnswer;
  readonly startedAt = monotonicMs();
  readonly #pieces: Iterator<string | Uint8Array>;
  readonly #buffer = new ChunkBuffer();
  readonly #onChange: () => void;
  #hasBegun = false;
  /** The client's socket has not taken what was written. */
  #isBehind = false;
  #isMade = false;
  /** The end of the last chunk, not written yet. */
  #keptBack: Uint8Array = nothing;
  isOver = false;

  /** @param onChange told when it can go on, and when it is over */
  constructor(answer: LongAnswer, onChange: () => void) {
    this.answer = answer;
    this.#onChange = onChange;
    this.#pieces = answer.pieces[Symbol.iterator]();
    answer.exchange.onAborted(() => this.close());
  }

  get isRunnable(): boolean {
    return !this.isOver && !this.#isBehind && !this.#isMade;
  }

  /** Works until the time is up, the client is behind, or the answer is made. */
  run(untilMs: number): void {
    try {
      while (this.isRunnable && monotonicMs() < untilMs) this.#step();
    } catch (fault) {
      this.#end(fault);
    }
  }

  #step(): void {
    const piece = this.#pieces.next();
    if (piece.done !== true) {
      this.#buffer.add(piece.value);
      while (this.#buffer.isOverfull && !this.isOver) this.#write(this.#buffer.take());
      return;
    }
    if (this.#hasBegun) this.#writeLast(this.#buffer.take());
    else {
      const whole = this.#buffer.take();
      this.close();
      this.answer.answerWhole(whole);
    }
  }

  #write(bytes: Uint8Array): void {
    const { exchange } = this.answer;
    if (!this.#hasBegun) this.#begin();
    if (!exchange.isOver && !exchange.write(bytes)) this.#isBehind = true;
  }

  #begin(): void {
    const { answer } = this;
    this.#hasBegun = true;
    answer.onBegin?.();
    answer.exchange.onWritable(() => this.#resume());
    answer.exchange.begin(answer.status, answer.headers());
    // HEAD was answered whole by its head.
    if (answer.exchange.isOver) this.close();
  }

  #writeLast(bytes: Uint8Array): void {
    this.#isMade = true;
    const length = Math.max(0, bytes.length - keptBackMax);
    this.#keptBack = bytes.slice(length);
    this.answer.release();
    this.#write(bytes.subarray(0, length));
    if (!this.#isBehind) this.#finish();
  }

  #resume(): void {
    this.#isBehind = false;
    if (this.#isMade) this.#finishWhenTaken();
    this.#onChange();
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
    if (this.isOver) return;
    this.close();
    if (this.#hasBegun) this.answer.exchange.cut();
    else this.answer.refuse(`The answer was not completed: ${reason}.`);
  }

  /** Lets go of everything: the answer is complete, failed, or not wanted any more. */
  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#pieces.return?.();
    if (!this.#isMade) this.answer.release();
    if (this.#hasBegun) this.answer.onOver();
    this.#onChange();
  }
}

/** The long answers of a worker: each turn of its event loop makes one slice, of one of them after the other. */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #cutting: NodeJS.Timeout;
  #sending: Sending[] = [];
  #atOnceMs = 0;
  #isScheduled = false;

  constructor(options: LongAnswersOptions) {
    this.#options = options;
    this.#cutting = setInterval(() => this.#cutOld(), cutIntervalMs).unref();
  }

  get count(): number {
    return this.#sending.length;
  }

  /** Takes an answer. A short one is made at once, if the turn has time for it. */
  send(answer: LongAnswer): void {
    if (!this.#options.room.take(answer.isPinned)) {
      answer.release();
      answer.refuse(tooMany);
      return;
    }
    const sending = new Sending(answer, () => this.#schedule());
    this.#sending.push(sending);
    if (this.#atOnceMs < atOnceMsMax) this.#atOnceMs += this.#run(sending);
    this.#schedule();
  }

  /** @returns how long it took, in milliseconds */
  #run(sending: Sending): number {
    const startedAt = monotonicMs();
    sending.run(startedAt + sliceMs);
    const tookMs = monotonicMs() - startedAt;
    this.#options.onStep(tookMs);
    this.#sweep();
    return tookMs;
  }

  #schedule(): void {
    if (this.#isScheduled || (this.#sending.length === 0 && this.#atOnceMs === 0)) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#atOnceMs = 0;
      this.#runNext();
    });
  }

  /** Gives the first runnable answer a slice, and lets the others have the next. */
  #runNext(): void {
    this.#sweep();
    const next = this.#sending.find(({ isRunnable }) => isRunnable);
    if (next === undefined) return;
    this.#sending = [...this.#sending.filter((other) => other !== next), next];
    this.#run(next);
    this.#schedule();
  }

  #cutOld(): void {
    const now = monotonicMs();
    for (const sending of [...this.#sending]) {
      if (now - sending.startedAt > answerAgeMaxMs) sending.cut('its client took too long to read it');
    }
    this.#sweep();
  }

  #sweep(): void {
    for (const { isOver, answer } of this.#sending) if (isOver) this.#options.room.give(answer.isPinned);
    this.#sending = this.#sending.filter(({ isOver }) => !isOver);
  }

  /** Cuts every answer and lets go of what it was read from. */
  close(): void {
    clearInterval(this.#cutting);
    for (const sending of this.#sending) sending.cut('the service stops');
    this.#sweep();
  }
}
