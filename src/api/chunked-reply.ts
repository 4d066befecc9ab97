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

const lineFeed = Uint8Array.of(0x0a);

/** Passes an answer of any length on to its client, no faster than the client takes it. */
export class ChunkedReply implements ChunkReceiver {
  readonly #exchange: Exchange;
  readonly #hooks: ChunkedReplyHooks;
  #head: EvaluatorAnswerHead | null = null;
  /** Chunks that are written but not taken yet: each lets one more come when it is. */
  #untaken = 0;
  #isLastWritten = false;

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
    const isTaken = this.#exchange.write(bytes);
    this.#isLastWritten = isLast;
    if (!isTaken) this.#untaken += 1;
    else if (isLast) this.#finish();
    else this.#hooks.more();
  }

  #resume(): void {
    const allowed = this.#untaken;
    this.#untaken = 0;
    if (this.#isLastWritten) this.#finishWhenTaken();
    else for (let chunk = 0; chunk < allowed; chunk += 1) this.#hooks.more();
  }

  /**
   * The socket takes bytes again, which does not say that it took all: only another write tells. White space may follow
   * JSON, so a line feed asks.
   */
  #finishWhenTaken(): void {
    if (this.#exchange.writeThrough(lineFeed)) this.#finish();
  }

  /** Only once everything was taken: a service that drains may close right after it. */
  #finish(): void {
    if (this.#exchange.isOver) return;
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
