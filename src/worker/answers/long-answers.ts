import type { Coding } from '../../http/content-coding.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { CutAnswer, type TextPieces } from '../../support/text-pieces.ts';
import type { Client } from '../limits/quota.ts';
import type { AnswerEncoder } from './answer-encoder.ts';
import { ChunkBuffer, chunkBytesMax } from './chunk-buffer.ts';

/** An answer of any length, before its body is made. */
export interface LongAnswer {
  readonly exchange: Exchange;
  readonly status: number;
  readonly pieces: TextPieces;
  /** Bytes kept in memory for the rest of the answer. Asked when it begins. */
  heldBytes(): number;
  /** Whether the pieces are read from a snapshot of their own, which keeps pages of the store from being reused. */
  readonly isPinned: boolean;
  /** The body says that a change was applied. Such an answer is sent even when its client has its quota already. */
  readonly isDecided?: boolean;
  /** When its request was complete, by `monotonicMs`; by default now. Its first bytes are due a deadline later. */
  readonly askedAt?: number | undefined;
  /** The client that it is counted for; null: what the worker makes for all. Asked only while its request is handled. */
  client(): Client | null;
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

/** Whether an answer with this body is sent whole. */
export function fitsOneChunk({ isHead }: Pick<Exchange, 'isHead'>, body: string | Uint8Array): boolean {
  return isHead || Buffer.byteLength(body) <= chunkBytesMax;
}

/** @returns the pieces of a body that is in memory */
export function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytesMax) {
    yield bytes.subarray(start, start + chunkBytesMax);
  }
}

/** What an answer takes from the pools of the worker. */
export interface LongAnswerNeeds {
  /** Bytes kept in memory for it. */
  readonly bytes: number;
  readonly isPinned: boolean;
}

/** Takes an answer's part of the pools. @returns a function that gives it back; null: the client has its quota already */
export type TakeLongAnswer = (client: Client | null, needs: LongAnswerNeeds) => (() => void) | null;

export interface LongAnswersOptions {
  readonly take: TakeLongAnswer;
  /** An answer that has not begun this long after its request is refused. */
  readonly deadlineMs: number;
  /** Receives how long each step took, in milliseconds. */
  onStep(ms: number): void;
  /** A client had its quota already. */
  onRefused(): void;
}

/** Long answers take about this much of a pass of the event loop together; evaluations are served in between. */
const passMs = 1;
/** A client that takes nothing for this time is cut off. */
const stallMs = 10_000;
/** A snapshot makes the file grow while it is held: a client that takes longer to read from one is cut off. */
const pinnedMs = 30_000;
/** How often the answers are searched for such clients, and for those past their deadline. */
const lookIntervalMs = 250;
/** This many bytes at the end of a body are kept back, to ask a socket with them whether it has taken the rest. */
const keptBackMax = 1024;
/** A step makes at least this many pieces, even if other threads had the processor meanwhile: enough for a short answer. */
const piecesMin = 4;
const nothing = new Uint8Array(0);
export const tooMany = 'Too many long lists are being read at once. Retry in a moment.';

/**
 * Sends bodies of any length. Each is made piece by piece, and written no faster than its client reads. The answers that
 * can go on are served round robin, a chunk each.
 */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #sending = new Set<Sending>();
  /** Those that can go on, in the order in which they do. */
  readonly #queue: Sending[] = [];
  /** Time that was spent in `send` since the last pass. */
  #atOnceMs = 0;
  #isScheduled = false;
  /** Runs while there are answers: an idle thread sleeps. */
  #looking: NodeJS.Timeout | null = null;

  constructor(options: LongAnswersOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#sending.size;
  }

  /** Sends an answer: at once, if this pass of the event loop has time for it, and no earlier one waits to begin. */
  send(answer: LongAnswer): void {
    const sending = new Sending(answer, {
      take: () => this.#take(answer),
      onRunnable: () => this.#enqueue(sending),
      onOver: () => this.#sending.delete(sending),
    });
    this.#sending.add(sending);
    this.#looking ??= setTimeout(() => this.#look(), lookIntervalMs).unref();
    const isFirst = !this.#queue.some(({ isWaiting }) => isWaiting);
    if (isFirst && this.#atOnceMs < passMs) {
      this.#atOnceMs += this.#run(sending, passMs - this.#atOnceMs);
      this.#schedule();
    }
    if (sending.mayGoOn()) this.#enqueue(sending);
  }

  #take(answer: LongAnswer): (() => void) | null {
    const { take, onRefused } = this.#options;
    const give = take(answer.client(), { bytes: answer.heldBytes(), isPinned: answer.isPinned });
    if (give === null) onRefused();
    return give;
  }

  #enqueue(sending: Sending): void {
    this.#queue.push(sending);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#pass());
  }

  #pass(): void {
    this.#isScheduled = false;
    this.#atOnceMs = 0;
    for (let usedMs = 0; usedMs < passMs; ) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (!next.isRunnable || this.#refuseLate(next, monotonicMs())) continue;
      usedMs += this.#run(next, passMs - usedMs);
      if (next.isRunnable) this.#queue.push(next);
    }
    this.#schedule();
  }

  /** @returns how long it took, in milliseconds */
  #run(sending: Sending, mostMs: number): number {
    const startedAt = monotonicMs();
    sending.step(startedAt + mostMs);
    const tookMs = monotonicMs() - startedAt;
    this.#options.onStep(tookMs);
    return tookMs;
  }

  /** Refuses an answer whose client no longer waits for it. @returns whether it was refused */
  #refuseLate(sending: Sending, now: number): boolean {
    if (!sending.mayBeRefused || now - sending.askedAt < this.#options.deadlineMs) return false;
    sending.cut('it waited longer than the request deadline');
    return true;
  }

  #look(): void {
    this.#looking = null;
    const now = monotonicMs();
    for (const sending of this.#sending) {
      if (this.#refuseLate(sending, now)) continue;
      const { behindSince, startedAt, answer } = sending;
      const isStalled = behindSince !== null && now - behindSince > stallMs;
      if (isStalled || (answer.isPinned && now - startedAt > pinnedMs)) {
        sending.cut('its client took too long to read it');
      }
    }
    if (this.#sending.size > 0) this.#looking = setTimeout(() => this.#look(), lookIntervalMs).unref();
  }

  /** Cuts every answer and gives back what it was read from. */
  close(): void {
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const sending of this.#sending) sending.cut('the service stops');
  }
}

interface SendingHooks {
  /** @returns null when the client has its quota already */
  take(): (() => void) | null;
  /** The client has taken what was written: the answer can go on. */
  onRunnable(): void;
  onOver(): void;
}

/** One answer on its way. */
class Sending {
  readonly answer: LongAnswer;
  readonly startedAt = monotonicMs();
  readonly #hooks: SendingHooks;
  readonly #pieces: Iterator<string | Uint8Array>;
  readonly #buffer = new ChunkBuffer();
  /** Gives back what it has of its client's quota; null: it was not counted yet. */
  #give: (() => void) | null = null;
  #encoder: AnswerEncoder | null = null;
  /** A chunk is being compressed. */
  #isCoding = false;
  #hasBegun = false;
  #isMade = false;
  /** The end of the body, which is not written yet. */
  #keptBack: Uint8Array = nothing;
  /** Since when the client's socket has not taken what was written; null when it has taken all. */
  behindSince: number | null = null;
  isOver = false;

  constructor(answer: LongAnswer, hooks: SendingHooks) {
    this.answer = answer;
    this.#hooks = hooks;
    this.#pieces = answer.pieces[Symbol.iterator]();
    answer.exchange.onAborted(() => this.close());
  }

  get askedAt(): number {
    return this.answer.askedAt ?? this.startedAt;
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

  /** Makes pieces until they fill a chunk, which is written, or the time is up. */
  step(untilMs: number): void {
    try {
      for (let made = 1; this.isRunnable; made += 1) {
        if (this.#buffer.isOverfull) {
          this.#writeNext(this.#buffer.take());
          return;
        }
        const piece = this.#pieces.next();
        if (piece.done === true) {
          this.#finish();
          return;
        }
        this.#buffer.add(piece.value);
        if (made >= piecesMin && monotonicMs() >= untilMs) return;
      }
    } catch (fault) {
      this.#end(fault);
    }
  }

  /**
   * Has the answer counted for its client, while its request is handled. An answer that was made at once is not counted.
   * @returns whether it is to go on in the next passes
   */
  mayGoOn(): boolean {
    return !this.isOver && this.#isCounted() && this.isRunnable;
  }

  /** @returns false: the client has its quota already, and the answer is over */
  #isCounted(): boolean {
    if (this.#give !== null || this.answer.isDecided === true || this.answer.exchange.isHead) return true;
    this.#give = this.#hooks.take();
    if (this.#give === null) this.#giveUp(tooMany);
    return this.#give !== null;
  }

  #begin(): boolean {
    const { answer } = this;
    if (!this.#isCounted()) return false;
    this.#hasBegun = true;
    answer.onBegin?.();
    answer.exchange.onWritable(() => this.#resume());
    if (!answer.exchange.isHead) this.#encoder = answer.encoder?.() ?? null;
    answer.exchange.begin(answer.status, answer.headers(this.#encoder?.coding ?? null));
    if (answer.exchange.isOver) this.close();
    return !this.isOver;
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
      if (this.isRunnable) this.#hooks.onRunnable();
    };
    this.#encoder.add(bytes, done, (fault) => this.#end(fault));
  }

  #write(bytes: Uint8Array): void {
    const { exchange } = this.answer;
    if (!exchange.isOver && !exchange.write(bytes)) this.behindSince = monotonicMs();
  }

  /** The pieces are made. */
  #finish(): void {
    const rest = this.#buffer.take();
    if (!this.#hasBegun) {
      // The buffer goes back, and its bytes stay valid: no other answer takes it before this one is given.
      this.close();
      this.answer.answerWhole(rest);
      return;
    }
    this.#isMade = true;
    this.answer.release();
    if (this.#encoder === null) {
      this.#writeLast(rest);
      return;
    }
    this.#isCoding = true;
    const done = (coded: Uint8Array): void => {
      this.#isCoding = false;
      this.#writeLast(coded);
    };
    this.#encoder.finish(rest, done, (fault) => this.#end(fault));
  }

  #writeLast(bytes: Uint8Array): void {
    const length = Math.max(0, bytes.length - keptBackMax);
    this.#keptBack = bytes.slice(length);
    this.#write(bytes.subarray(0, length));
    this.#buffer.release();
    if (this.behindSince === null) this.#complete();
  }

  #resume(): void {
    if (this.#isCoding) return;
    const wasBehind = this.behindSince !== null;
    this.behindSince = this.#isMade ? monotonicMs() : null;
    if (this.#isMade) this.#completeWhenTaken();
    else if (wasBehind) this.#hooks.onRunnable();
  }

  /**
   * "Writable" means that the socket takes bytes again, not that it took all: only another write shows that. So a byte
   * that was kept back is written to ask. Nothing may be added to an answer for this: a blank line is not white space in
   * every format.
   */
  #completeWhenTaken(): void {
    const next = this.#keptBack.subarray(0, 1);
    this.#keptBack = this.#keptBack.subarray(1);
    if (next.length === 0 || this.answer.exchange.writeThrough(next)) this.#complete();
  }

  /** Ends the answer once the client took everything: a service that drains may close right after it. */
  #complete(): void {
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
   * reason.
   */
  cut(reason: string): void {
    this.#giveUp(`The answer was not completed: ${reason}.`);
  }

  /** The answer is over before its connection is: watchers of the connection would take it for a client that went away. */
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
    this.#give?.();
    this.#hooks.onOver();
  }
}
