import { consoleEnvelope } from '../../contracts/console/console-answers.ts';
import { consoleProblemTable } from '../../contracts/console/console-problem-table.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { ConsoleApiRequest } from './console-api-request.ts';
import { type ConsoleHeaderFields, consoleHeaders } from './console-headers.ts';

/** Told once per request, when its answer is given. */
type OnAnswered = (status: number, memberId: string | null) => void;

const json = 'application/json';

/** Gives one request of the console's API its answer and tells the log. */
export class ConsoleReply {
  readonly request: ConsoleApiRequest;
  readonly exchange: Exchange;
  /** Lets go of the request's body in memory, with the answer or before; can be called again without effect. */
  releaseBody: () => void = () => undefined;
  readonly #docsUrl: string;
  readonly #onAnswered: OnAnswered;

  constructor(exchange: Exchange, request: ConsoleApiRequest, docsUrl: string, onAnswered: OnAnswered) {
    this.exchange = exchange;
    this.request = request;
    this.#docsUrl = docsUrl;
    this.#onAnswered = onAnswered;
  }

  headers(status: number, fields: ConsoleHeaderFields) {
    return consoleHeaders(this.request.requestId, status, fields);
  }

  answer(
    status: number,
    body: string | Uint8Array,
    fields: ConsoleHeaderFields,
    memberId: string | null = null,
  ): void {
    this.exchange.answer(status, this.headers(status, fields), body);
    this.#onAnswered(status, memberId);
  }

  answerJson(
    value: unknown,
    fields: Omit<ConsoleHeaderFields, 'contentType'> = {},
    memberId: string | null = null,
  ): void {
    this.answer(200, JSON.stringify(value), { ...fields, contentType: json }, memberId);
  }

  answerNothing(fields: Omit<ConsoleHeaderFields, 'contentType'> = {}, memberId: string | null = null): void {
    this.answer(204, '', fields, memberId);
  }

  /** @param location within this service, or of the OpenID provider: never what a request has named. */
  redirect(location: string, setCookies: readonly string[], memberId: string | null = null): void {
    this.answer(303, '', { location, setCookies }, memberId);
  }

  refuse(problem: ConsoleProblem, fields: Omit<ConsoleHeaderFields, 'contentType'> = {}): void {
    const { status } = consoleProblemTable[problem.code];
    this.answer(status, consoleEnvelope(problem, this.#docsUrl), { ...fields, contentType: json });
  }

  refuseUntil(problem: ConsoleProblem, retryAfter: number): void {
    this.refuse(problem, { retryAfter });
  }

  /** Refuses a request whose end cannot be found: its connection is closed with the answer. */
  refuseAndClose(problem: ConsoleProblem): void {
    const { status } = consoleProblemTable[problem.code];
    const headers = this.headers(status, { contentType: json });
    this.exchange.answerAndClose(status, headers, consoleEnvelope(problem, this.#docsUrl));
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

  /** Begins an answer that goes on for as long as somebody reads it: for the log it is given now. */
  begin(status: number, fields: ConsoleHeaderFields, memberId: string | null): void {
    this.exchange.begin(status, this.headers(status, fields));
    this.#onAnswered(status, memberId);
  }

  /** A long answer is over; its bytes have gone their own way. */
  finishLong(status: number, memberId: string | null): void {
    this.#onAnswered(status, memberId);
  }
}
