import { errorEnvelope } from '../contracts/error-envelope.ts';
import { type ApiProblem, problemTable } from '../contracts/problem-table.ts';
import type { Coding } from '../http/content-coding.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import type { CallerIds } from '../support/caller-ids.ts';
import { type AnswerFields, consoleHeaders, managementHeaders, syncHeaders } from './answer-headers.ts';
import type { ApiCall, ApiName, Caller } from './call.ts';

/** The parts of an API's answers that are the same for all operations. */
export interface ApiFormat {
  readonly name: ApiName;
  headers(requestId: string, status: number, fields: AnswerFields): HeaderBlock;
  /** @returns a problem as the body of an answer, JSON text */
  envelope(problem: ApiProblem): string;
  /** Advice for a client when the outcome of its change is unknown. */
  readonly mayBeApplied: string;
}

const onItsWay = 'The service stopped, or waited for its cluster too long, while the change was on its way.';

export function formatOf(name: ApiName, docsUrl: string): ApiFormat {
  const envelope = (problem: ApiProblem): string =>
    errorEnvelope(problem, docsUrl, name === 'console' ? 'console' : undefined);
  return { name, envelope, ...formats[name] };
}

const formats: Readonly<Record<ApiName, Pick<ApiFormat, 'headers' | 'mayBeApplied'>>> = {
  management: {
    headers: managementHeaders,
    mayBeApplied: `${onItsWay} It may have been applied: read the flag before you retry.`,
  },
  console: {
    headers: consoleHeaders,
    mayBeApplied: `${onItsWay} It may have been applied: check before you repeat it.`,
  },
  sync: {
    headers: syncHeaders,
    mayBeApplied: 'The service stopped while the report was on its way. Send it again with the same id.',
  },
};

/** The parts of a request that stay in its worker. */
export interface RequestHead {
  /** In lower case. */
  readonly method: string;
  /** For the log alone. */
  readonly callerIds: CallerIds;
  /** The Cookie headers, for operations with a cookie of their own. Never logged. */
  readonly cookies: readonly string[];
  /** The Accept header, where the answer depends on it. */
  readonly accept: string;
  /** The coding that the client accepts for a body; null for none. Undefined: answers of this API are not compressed. */
  readonly coding: Coding | null | undefined;
  /** A read that the page makes by itself: it does not count as use of the session. */
  readonly isBackground: boolean;
  /** The request may change something, and was not made by a page of this service. */
  readonly isForeign: boolean;
  /** The key of the limits for each address. */
  readonly limitKey: string;
  /** From Content-Length; null when there is none. */
  readonly declaredBytes: number | null;
}

const json = 'application/json';

/** A request of an API of operations, from its head to its answer. The answer is given once. */
export class ApiRequest<Operation = unknown> {
  readonly exchange: Exchange;
  readonly format: ApiFormat;
  /** Null when no operation has this method and path. */
  readonly operation: Operation | null;
  readonly call: ApiCall;
  readonly head: RequestHead;
  /** The caller, once it is known. */
  caller: Caller | null = null;
  /** The token or member, for the log and the quotas. A refused one, too. */
  callerId: string | null = null;
  /**
   * Its slot in the client's quota of waiting requests. It is given back with the answer; if the client goes away, when
   * the work on the request ends.
   */
  quota: { end(): void } | null = null;
  /** Gives back the memory of the request's body, with the answer or before; a second call has no effect. */
  releaseBody: () => void = () => undefined;
  /** Number of background tasks for it, which continue when its client has gone. */
  running = 0;
  /** Called once, when the answer is given. */
  onAnswered: (status: number) => void = () => undefined;

  constructor(
    exchange: Exchange,
    format: ApiFormat,
    operation: Operation | null,
    call: ApiCall,
    head: RequestHead,
  ) {
    this.exchange = exchange;
    this.format = format;
    this.operation = operation;
    this.call = call;
    this.head = head;
  }

  /** Gives back the request's part of its client's quotas: its slot, and the memory of its body. */
  giveBack(): void {
    this.quota?.end();
    this.releaseBody();
  }

  headers(status: number, fields: AnswerFields): HeaderBlock {
    return this.format.headers(this.call.requestId, status, fields);
  }

  answer(status: number, body: string | Uint8Array, fields: AnswerFields): void {
    this.exchange.answer(status, this.headers(status, fields), body);
    this.onAnswered(status);
  }

  answerJson(value: unknown, fields: Omit<AnswerFields, 'contentType'> = {}): void {
    this.answer(200, JSON.stringify(value), { ...fields, contentType: json });
  }

  /** @param retryAfter seconds, for a 429 */
  refuse(problem: ApiProblem, retryAfter?: number): void {
    const { status } = problemTable[problem.code];
    this.answer(status, this.format.envelope(problem), { retryAfter, contentType: json });
  }

  refuseUnavailable(detail: string): void {
    this.refuse({ code: 'service-unavailable', detail });
  }

  /** Answers that the service has a fault. The detail has the request id, which leads to the fault in the log. */
  fail(): void {
    const detail = `Something went wrong in the service. Its log has the cause under the request id ${this.call.requestId}.`;
    this.refuse({ code: 'internal-error', detail });
  }

  /** Begins a stream. It is logged now. */
  begin(status: number, fields: AnswerFields): void {
    this.exchange.begin(status, this.headers(status, fields));
    this.onAnswered(status);
  }
}
