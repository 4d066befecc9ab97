import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import { addressClient } from '../limits/quota.ts';
import { chunksOf, fitsOneChunk, type LongAnswers } from './long-answers.ts';

/** Sends bytes that are the same for all clients. */
export type SendFile = (
  exchange: Exchange,
  request: RequestView,
  headers: HeaderBlock,
  body: Uint8Array,
) => void;

interface FileParts {
  readonly longAnswers: LongAnswers;
  /** The client for which the request is counted. Valid only while the request is handled. */
  addressOf(exchange: Exchange, request: RequestView): string;
  /** Answers with a 503. */
  refuse(exchange: Exchange, detail: string): void;
  onFault(fault: unknown, during: string): void;
}

export function fileSender({ longAnswers, addressOf, refuse, onFault }: FileParts): SendFile {
  return (exchange, request, headers, body) => {
    if (fitsOneChunk(exchange, body)) {
      exchange.answer(200, headers, body);
      return;
    }
    longAnswers.send({
      exchange,
      status: 200,
      pieces: chunksOf(body),
      heldBytes: () => 0,
      isPinned: false,
      client: () => addressClient(addressOf(exchange, request)),
      release: () => undefined,
      headers: () => headers,
      answerWhole: (whole) => exchange.answer(200, headers, whole),
      refuse: (detail) => refuse(exchange, detail),
      fail: (fault) => onFault(fault, 'a file'),
      onOver: () => undefined,
    });
  };
}
