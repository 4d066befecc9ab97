import { type ApiProblem, problemTable } from '../contracts/problem-table.ts';
import type { Coding } from '../http/content-coding.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import type { CallerIds } from '../support/caller-ids.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { AnswerFields } from './answer-headers.ts';
import type { ApiManner } from './api-manner.ts';

/** What is kept of a request of either API after its handler has returned. */
export interface ApiRequest {
  readonly requestId: string;
  /** For the log alone. */
  readonly callerIds: CallerIds;
  /** In lower case. */
  readonly method: string;
  /** Null when no operation has this method and path. */
  readonly operation: string | null;
  readonly params: Readonly<Record<string, string>>;
  /** As received, without the question mark. */
  readonly query: string;
  /** The same as in `ApiCall`. Never logged. */
  readonly credential: string | null;
  /** The Cookie headers, for operations with a cookie of their own. Never logged. */
  readonly cookies: readonly string[];
  /** The same as in `ApiCall`. The server takes at most 16 KiB of headers, so it is bounded too. */
  readonly header: string | null;
  /** The Accept header, where the answer depends on it. */
  readonly accept?: string | undefined;
  /** The coding that the client accepts for a body; null for none. Undefined: answers of this API are not compressed. */
  readonly coding?: Coding | null | undefined;
  readonly userAgent: string;
  /** A read that the page makes by itself: it does not count as use of the session. */
  readonly isBackground: boolean;
  /** For the log and denial records. */
  readonly address: string;
  /** The key of the limits for each address. */
  readonly limitKey: string;
  /** From Content-Length; null when there is none. */
  readonly declaredBytes: number | null;
}

/** Called once for each request, when its answer is given. */
export type OnAnswered = (status: number, askerId: string | null) => void;

const json = 'application/json';

/** Gives one request its answer and reports it to the log. */
export class ApiReply {
  readonly request: ApiRequest;
  readonly exchange: Exchange;
  readonly manner: ApiManner;
  /** Gives back the memory of the request's body, with the answer or before; a second call has no effect. */
  releaseBody: () => void = () => undefined;
  /**
   * Takes one of its client's requests in flight, for a request that waits: for its body, for other reads or for the
   * writer. It is given back when the request is answered, or its client goes away. A second call has no effect.
   * @param client token or member that sends it; null: it has no valid credential. @returns whether there is one
   */
  mayWait: (client: string | null) => boolean = () => true;
  /** When it was here whole, by `monotonicMs`: its deadline counts from then. */
  completeAt = monotonicMs();
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

  /** @param location within this service, or of the OpenID provider: never one that a request has named. */
  redirect(location: string, setCookies: readonly string[], askerId: string | null = null): void {
    this.answer(303, '', { location, setCookies }, askerId);
  }

  /** @param retryAfter seconds, for a 429 */
  refuse(problem: ApiProblem, retryAfter?: number): void {
    const { status } = problemTable[problem.code];
    this.answer(status, this.manner.envelope(problem), { retryAfter, contentType: json });
  }

  /** Refuses a request whose end is not certain: its connection is closed with the answer. */
  refuseAndClose(problem: ApiProblem): void {
    const { status } = problemTable[problem.code];
    const headers = this.headers(status, { contentType: json });
    this.exchange.answerAndClose(status, headers, this.manner.envelope(problem));
    this.#onAnswered(status, null);
  }

  refuseUnavailable(detail: string): void {
    this.refuse({ code: 'service-unavailable', detail });
  }

  /** The detail has the request id, which leads to the fault in the log. */
  refuseInternal(): void {
    const detail = `Something went wrong in the service. Its log has the cause under the request id ${this.request.requestId}.`;
    this.refuse({ code: 'internal-error', detail });
  }

  /** Begins an answer that lasts until its client goes away: the log has it now. */
  begin(status: number, fields: AnswerFields, askerId: string | null): void {
    this.exchange.begin(status, this.headers(status, fields));
    this.#onAnswered(status, askerId);
  }

  /** A long answer is over; its bytes were sent by `LongAnswers`. */
  finishLong(status: number, askerId: string | null): void {
    this.#onAnswered(status, askerId);
  }
}
