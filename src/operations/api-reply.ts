import { type ApiProblem, problemTable } from '../contracts/problem-table.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import type { AnswerFields } from './answer-headers.ts';
import type { ApiManner } from './api-manner.ts';

/** What is kept of a request of either API after its handler has returned. */
export interface ApiRequest {
  readonly requestId: string;
  /** In lower case. */
  readonly method: string;
  /** Null when there is none of this method and path. */
  readonly operation: string | null;
  readonly params: Readonly<Record<string, string>>;
  /** As received. */
  readonly query: string;
  /** As `ApiCall` has it. Never logged. */
  readonly credential: string | null;
  /** The Cookie headers, for what has a cookie of its own. Never logged. */
  readonly cookies: readonly string[];
  /** As `ApiCall` has it. The server takes at most 16 KiB of headers, so it is bounded too. */
  readonly header: string | null;
  readonly userAgent: string;
  /** A reading that the page makes by itself: nobody is there who uses the session. */
  readonly isBackground: boolean;
  /** For the log and denial records. */
  readonly address: string;
  /** What the per-address limits count by. */
  readonly limitKey: string;
  /** From Content-Length; null when there is none. */
  readonly declaredBytes: number | null;
}

/** Told once per request, when its answer is given. */
export type OnAnswered = (status: number, askerId: string | null) => void;

const json = 'application/json';

/** Gives one request its answer and tells the log. */
export class ApiReply {
  readonly request: ApiRequest;
  readonly exchange: Exchange;
  readonly manner: ApiManner;
  /** Lets go of the request's body in memory, with the answer or before; can be called again without effect. */
  releaseBody: () => void = () => undefined;
  readonly #onAnswered: OnAnswered;

  constructor(exchange: Exchange, request: ApiRequest, manner: ApiManner, onAnswered: OnAnswered) {
    this.exchange = exchange;
    this.request = request;
    this.manner = manner;
    this.#onAnswered = onAnswered;
  }

  headers(status: number, fields: AnswerFields): HeaderBlock {
    return this.manner.headers(this.request.requestId, status, fields);
  }

  answer(
    status: number,
    body: string | Uint8Array,
    fields: AnswerFields,
    askerId: string | null = null,
  ): void {
    this.answerWith(status, this.headers(status, fields), body, askerId);
  }

  answerWith(status: number, headers: HeaderBlock, body: string | Uint8Array, askerId: string | null): void {
    this.exchange.answer(status, headers, body);
    this.#onAnswered(status, askerId);
  }

  answerJson(
    value: unknown,
    fields: Omit<AnswerFields, 'contentType'> = {},
    askerId: string | null = null,
  ): void {
    this.answer(200, JSON.stringify(value), { ...fields, contentType: json }, askerId);
  }

  answerNothing(fields: Omit<AnswerFields, 'contentType'> = {}, askerId: string | null = null): void {
    this.answer(204, '', fields, askerId);
  }

  /** @param location within this service, or of the OpenID provider: never what a request has named. */
  redirect(location: string, setCookies: readonly string[], askerId: string | null = null): void {
    this.answer(303, '', { location, setCookies }, askerId);
  }

  /** @param retryAfter seconds, for a 429 */
  refuse(problem: ApiProblem, retryAfter?: number): void {
    const { status } = problemTable[problem.code];
    this.answer(status, this.manner.envelope(problem), { retryAfter, contentType: json });
  }

  /** Refuses a request whose end cannot be found: its connection is closed with the answer. */
  refuseAndClose(problem: ApiProblem): void {
    const { status } = problemTable[problem.code];
    const headers = this.headers(status, { contentType: json });
    this.exchange.answerAndClose(status, headers, this.manner.envelope(problem));
    this.#onAnswered(status, null);
  }

  refuseUnavailable(detail: string): void {
    this.refuse({ code: 'service-unavailable', detail });
  }

  /** The detail names the request, so that a reader of the log finds the fault. */
  refuseInternal(): void {
    const detail = `Something went wrong in the service. Its log tells more under the request id ${this.request.requestId}.`;
    this.refuse({ code: 'internal-error', detail });
  }

  /** Begins an answer that goes on for as long as somebody reads it: for the log it is given now. */
  begin(status: number, fields: AnswerFields, askerId: string | null): void {
    this.exchange.begin(status, this.headers(status, fields));
    this.#onAnswered(status, askerId);
  }

  /** A long answer is over; its bytes have gone their own way. */
  finishLong(status: number, askerId: string | null): void {
    this.#onAnswered(status, askerId);
  }
}
