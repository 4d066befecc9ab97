import { errorEnvelope } from '../../contracts/error-envelope.ts';
import type { ManagementAnswer } from '../../contracts/management/management-call.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import { type ManagementHeaderFields, managementHeaders } from '../answer-headers.ts';
import type { ManagementRequest } from './management-request.ts';

/** What an actor says of its answer beside the body. */
type AnswerHead = Pick<ManagementAnswer, 'status' | 'tokenId' | 'entityTag' | 'retryAfter'>;

/** Told once per request, when its answer is given. */
export type OnAnswered = (status: number, tokenId: string | null) => void;

/** Gives one Management API request its answer and tells the log. */
export class ManagementReply {
  readonly request: ManagementRequest;
  readonly exchange: Exchange;
  readonly #docsUrl: string;
  readonly #onAnswered: OnAnswered;

  constructor(exchange: Exchange, request: ManagementRequest, docsUrl: string, onAnswered: OnAnswered) {
    this.exchange = exchange;
    this.request = request;
    this.#docsUrl = docsUrl;
    this.#onAnswered = onAnswered;
  }

  headers(status: number, fields: ManagementHeaderFields = {}): HeaderBlock {
    return managementHeaders(this.request.requestId, status, fields);
  }

  headersOf({ status, entityTag, retryAfter }: AnswerHead): HeaderBlock {
    return this.headers(status, { entityTag, ...(retryAfter === undefined ? {} : { retryAfter }) });
  }

  answer(answer: AnswerHead, body: string | Uint8Array): void {
    this.answerWith(answer.status, this.headersOf(answer), body, answer.tokenId);
  }

  answerWith(status: number, headers: HeaderBlock, body: string | Uint8Array, tokenId: string | null): void {
    this.exchange.answer(status, headers, body);
    this.#onAnswered(status, tokenId);
  }

  /** @param retryAfter seconds, for a 429 */
  refuse(problem: Problem, tokenId: string | null = null, retryAfter?: number): void {
    const { status } = problemTable[problem.code];
    const headers = this.headers(status, retryAfter === undefined ? {} : { retryAfter });
    this.answerWith(status, headers, errorEnvelope(problem, this.#docsUrl), tokenId);
  }

  refuseUntil(problem: Problem, retryAfter: number): void {
    this.refuse(problem, null, retryAfter);
  }

  /** Refuses a request whose end cannot be found: its connection is closed with the answer. */
  refuseAndClose(problem: Problem): void {
    const { status } = problemTable[problem.code];
    this.exchange.answerAndClose(status, this.headers(status), errorEnvelope(problem, this.#docsUrl));
    this.#onAnswered(status, null);
  }

  refuseUnavailable(detail: string): void {
    this.refuse({ code: 'service-unavailable', detail });
  }

  /** The detail names the request, so that whoever reads the log finds the fault. */
  refuseInternal(): void {
    const detail = `Something went wrong in the service. Its log tells more under the request id ${this.request.requestId}.`;
    this.refuse({ code: 'internal-error', detail });
  }

  /** A long answer is over; its bytes have gone their own way. */
  finishLong(status: number, tokenId: string | null): void {
    this.#onAnswered(status, tokenId);
  }
}
