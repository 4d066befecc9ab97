import type { Coding } from '../../http/content-coding.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import type { AnswerEncoder } from './answer-encoder.ts';
import { chunkBytesMax } from './chunk-buffer.ts';
import type { LongAnswers } from './long-answers.ts';

/** An answer whose body has been made. */
export interface MadeAnswer {
  readonly exchange: Exchange;
  readonly status: number;
  readonly body: string | Uint8Array;
  /** The body is shared by all clients that get it: no memory is kept for this one. */
  readonly isShared?: boolean;
  /** The body says that a change was applied: when there is no place for it, its connection is cut. */
  readonly isDecided?: boolean;
  holder(): Holder;
  headers(coding: Coding | null): HeaderBlock;
  /** The same as in `LongAnswer`. */
  encoder?(): AnswerEncoder | null;
  /** Sends the body whole. */
  answer(body: string | Uint8Array): void;
  refuse(detail: string): void;
  /** It was not sent whole, and is over. */
  onOver(): void;
  onFault(fault: unknown): void;
}

/** Whether an answer with this body is sent whole. */
export function fitsOneChunk({ isHead }: Pick<Exchange, 'isHead'>, body: string | Uint8Array): boolean {
  return isHead || Buffer.byteLength(body) <= chunkBytesMax;
}

/**
 * Sends an answer whole if it fits into one chunk. A longer one is sent as a long answer: no faster than its client
 * reads, in a place that counts for its holder.
 */
export function giveMade(made: MadeAnswer, longAnswers: LongAnswers): void {
  const { exchange, body, isShared = false, isDecided = false } = made;
  if (fitsOneChunk(exchange, body)) {
    made.answer(body);
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  longAnswers.send({
    exchange,
    status: made.status,
    pieces: slicesOf(bytes),
    heldBytes: () => (isShared ? 0 : bytes.length),
    isPinned: false,
    isDecided,
    holder: () => made.holder(),
    release: () => undefined,
    headers: (coding) => made.headers(coding),
    encoder: () => made.encoder?.() ?? null,
    answerWhole: (whole) => made.answer(whole),
    refuse: (detail) => made.refuse(detail),
    fail: (fault) => made.onFault(fault),
    onOver: () => made.onOver(),
  });
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytesMax) {
    yield bytes.subarray(start, start + chunkBytesMax);
  }
}

/** Sends bytes that are the same for all clients. */
export type GiveFile = (
  exchange: Exchange,
  request: RequestView,
  headers: HeaderBlock,
  body: Uint8Array,
) => void;

export interface FileParts {
  readonly longAnswers: LongAnswers;
  /** What limits count the request by. Valid only while the request is handled. */
  addressOf(exchange: Exchange, request: RequestView): string;
  /** @returns the body of a 503 */
  refusal(detail: string): { readonly headers: HeaderBlock; readonly body: string };
  onFault(fault: unknown, during: string): void;
}

export function fileGiver({ longAnswers, addressOf, refusal, onFault }: FileParts): GiveFile {
  return (exchange, request, headers, body) => {
    const made: MadeAnswer = {
      exchange,
      status: 200,
      body,
      isShared: true,
      holder: () => ({
        asker: null,
        project: null,
        organisation: null,
        address: addressOf(exchange, request),
      }),
      headers: () => headers,
      answer: (whole) => exchange.answer(200, headers, whole),
      refuse: (detail) => {
        const refused = refusal(detail);
        exchange.answer(503, refused.headers, refused.body);
      },
      onOver: () => undefined,
      onFault: (fault) => onFault(fault, 'a file'),
    };
    giveMade(made, longAnswers);
  };
}
