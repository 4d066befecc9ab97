import type { EvaluatorAnswerHead } from '../evaluator/evaluator-protocol.ts';
import type { ChunkReceiver } from '../evaluator/receiver-protocol.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';

export interface ChunkedReplyHooks {
  headers(status: number): HeaderBlock;
  /** An answer that came in one chunk. */
  answerWhole(head: EvaluatorAnswerHead, bytes: Uint8Array): void;
  answerUnavailable(detail: string): void;
  answerFailure(): void;
  /** One more chunk may come. */
  more(): void;
  /** No more are wanted. */
  cancel(): void;
  /** A long answer begins, before its headers are asked for. */
  onBegin?(head: EvaluatorAnswerHead): void;
  /** A long answer is over: its client's socket took the last byte, or it was cut. */
  onLongAnswer(head: EvaluatorAnswerHead): void;
}

/** Of the last chunk so much is kept back, to ask with: more bytes than a socket is ever asked. */
const keptBackMax = 1024;
const nothing = new Uint8Array(0);

/** Passes an answer of any length on to its client, no faster than the client takes it. */
export class ChunkedReply implements ChunkReceiver {
  readonly #exchange: Exchange;
  readonly #hooks: ChunkedReplyHooks;
  #head: EvaluatorAnswerHead | null = null;
  /** Chunks that are written but not taken yet: each lets one more come when it is. */
  #untaken = 0;
  #isLastWritten = false;
  /** The end of the last chunk, not written yet. */
  #keptBack: Uint8Array = nothing;

  constructor(exchange: Exchange, hooks: ChunkedReplyHooks) {
    this.#exchange = exchange;
    this.#hooks = hooks;
  }

  receiveChunk(head: EvaluatorAnswerHead | null, bytes: Uint8Array, isLast: boolean): void {
    if (head !== null && isLast) this.#hooks.answerWhole(head, bytes);
    else {
      if (head !== null) this.#begin(head);
      this.#pass(bytes, isLast);
    }
  }

  #begin(head: EvaluatorAnswerHead): void {
    this.#head = head;
    this.#hooks.onBegin?.(head);
    this.#exchange.begin(head.status, this.#hooks.headers(head.status));
    if (this.#exchange.isOver) this.#abandon();
    this.#exchange.onAborted(() => this.#abandon());
    this.#exchange.onWritable(() => this.#resume());
  }

  /** The client is gone, or asked for the head only. */
  #abandon(): void {
    this.#hooks.cancel();
    this.#tellOver();
  }

  #pass(bytes: Uint8Array, isLast: boolean): void {
    if (this.#exchange.isOver) return;
    const written = isLast ? this.#keepBack(bytes) : bytes;
    const isTaken = this.#exchange.write(written);
    this.#isLastWritten = isLast;
    if (!isTaken) this.#untaken += 1;
    else if (!isLast) this.#hooks.more();
    // While an earlier chunk waits, `#resume` goes on from here.
    else if (this.#untaken === 0) this.#finish();
  }

  /** @returns what comes before the bytes that are kept back */
  #keepBack(bytes: Uint8Array): Uint8Array {
    const length = Math.max(0, bytes.length - keptBackMax);
    this.#keptBack = bytes.slice(length);
    return bytes.subarray(0, length);
  }

  #resume(): void {
    const allowed = this.#untaken;
    this.#untaken = 0;
    if (this.#isLastWritten) this.#finishWhenTaken();
    else for (let chunk = 0; chunk < allowed; chunk += 1) this.#hooks.more();
  }

  /**
   * The socket takes bytes again, which does not say that it took all: only another write tells. So the next byte of
   * what is kept back asks; nothing may be added to an answer, for a blank line is not white space in every format.
   */
  #finishWhenTaken(): void {
    const next = this.#keptBack.subarray(0, 1);
    this.#keptBack = this.#keptBack.subarray(1);
    if (next.length === 0 || this.#exchange.writeThrough(next)) this.#finish();
  }

  /** Only once everything was taken: a service that drains may close right after it. */
  #finish(): void {
    if (this.#exchange.isOver) return;
    if (this.#keptBack.length > 0) this.#exchange.write(this.#keptBack);
    this.#exchange.end();
    this.#tellOver();
  }

  #tellOver(): void {
    if (this.#head !== null) this.#hooks.onLongAnswer(this.#head);
  }

  receiveCut(): void {
    this.#tellOver();
    this.#exchange.cut();
  }

  receiveFailure(): void {
    this.#hooks.answerFailure();
  }

  receiveUnavailable(detail: string): void {
    this.#hooks.answerUnavailable(detail);
  }
}
