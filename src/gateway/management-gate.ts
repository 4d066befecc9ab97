import { managementPreflightHeaders, rateLimitedHeaders } from '../api/answer-headers.ts';
import { answerRead, type ReadActors } from '../api/management/answer-read.ts';
import { answerWrite } from '../api/management/answer-write.ts';
import { ManagementReply } from '../api/management/management-reply.ts';
import { copyManagementRequest, type ManagementRequest } from '../api/management/management-request.ts';
import { overloaded } from '../api/overloaded.ts';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { EvaluatorClient } from '../evaluator/evaluator-client.ts';
import { type BodyBudget, type BodyOutcome, readBody } from '../http/body-reader.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import type { WriterClient } from '../writer/writer-client.ts';
import type { AddressFinder } from './address-finder.ts';
import type { GatewayMeter } from './gateway-meter.ts';
import { type RouteName, routeIndex } from './route-names.ts';
import type { TokenUses } from './token-uses.ts';
import type { WindowLimiter } from './window-limiter.ts';

export interface ManagementGateOptions {
  readonly docsUrl: string;
  readonly evaluators: EvaluatorClient;
  readonly writer: WriterClient;
  readonly addresses: AddressFinder;
  readonly requestRate: WindowLimiter;
  readonly failedAuthentications: WindowLimiter;
  readonly bodyBudget: BodyBudget;
  readonly inFlightMax: number;
  readonly requestDeadlineMs: number;
  readonly meter: GatewayMeter;
  readonly tokenUses: TokenUses;
  readonly log: Logger;
  readonly logRequest: LogRequest;
}

const otherRoute: RouteName = 'management-other';
const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';
const stalledBody = 'The request body stopped arriving. Send it whole, and faster.';
const overBudget = 'The service is receiving as much as it may buffer. Retry in a moment.';
export const ambiguousLength =
  'The headers disagree on the length of the request body. Send one Content-Length, or Transfer-Encoding: chunked.';

/**
 * The door of the Management API: the first three steps of the decided order of checks (request rate, preflight, failed
 * authentications), then an actor gets the request whole. Every request leaves one line in the log.
 */
export class ManagementGate {
  readonly #options: ManagementGateOptions;
  readonly #actors: ReadActors;
  #inFlight = 0;
  #unrecordedDenials = 0;

  constructor(options: ManagementGateOptions) {
    this.#options = options;
    this.#actors = {
      evaluators: options.evaluators,
      writer: options.writer,
      countFailure: (limitKey) => {
        options.meter.countFailedAuthentication();
        return options.failedAuthentications.take(limitKey);
      },
      refuseTooManyFailures: (reply) => this.#refuseTooManyFailures(reply),
      countUnrecordedDenial: (requestId, outcome) => {
        this.#unrecordedDenials += 1;
        options.meter.countUnrecordedDenial();
        const sinceStart = this.#unrecordedDenials;
        options.log.error({ requestId, outcome, sinceStart }, 'a denial was not recorded');
      },
      onFault: (fault, requestId) =>
        options.log.error({ err: fault, requestId }, 'management request failed'),
    };
  }

  /** Requests that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  handle(exchange: Exchange, view: RequestView): void {
    const reply = this.#open(exchange, view);
    try {
      this.#admit(reply);
    } catch (fault) {
      this.#actors.onFault(fault, reply.request.requestId);
      reply.refuseInternal();
    }
  }

  #admit(reply: ManagementReply): void {
    const { request } = reply;
    const { requestRate, failedAuthentications, inFlightMax } = this.#options;
    if (!requestRate.take(request.limitKey)) this.#refuseRate(reply);
    else if (request.method === 'options') {
      reply.answerWith(204, managementPreflightHeaders(request.requestId), '', null);
    } else if (failedAuthentications.isFull(request.limitKey)) this.#refuseTooManyFailures(reply);
    else if (this.#inFlight > inFlightMax) reply.refuseUnavailable(overloaded);
    else if (request.route === 'create-flag' || request.route === 'patch-flag') this.#collect(reply);
    else answerRead(reply, asCall(request, null, false), this.#actors);
  }

  /** A request whose end cannot be found: it counts toward the rate like any other, and its connection is closed. */
  refuseAmbiguous(exchange: Exchange, view: RequestView): void {
    const reply = this.#open(exchange, view);
    this.#options.requestRate.take(reply.request.limitKey);
    reply.refuseAndClose({ code: 'invalid-request', detail: ambiguousLength });
  }

  #open(exchange: Exchange, view: RequestView): ManagementReply {
    const request = copyManagementRequest(view, newId(), this.#options.addresses.find(exchange, view));
    exchange.route = routeIndex(request.route ?? otherRoute);
    const startedAt = monotonicMs();
    let isOpen = true;
    this.#inFlight += 1;
    const close = (status: number, tokenId: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#inFlight -= 1;
      if (tokenId !== null) this.#options.tokenUses.note(request, status, tokenId, Date.now());
      this.#logRequest(request, status, tokenId, startedAt);
    };
    exchange.onAborted(() => close(0, null));
    return new ManagementReply(exchange, request, this.#options.docsUrl, close);
  }

  #logRequest(request: ManagementRequest, status: number, tokenId: string | null, startedAt: number): void {
    const { requestId, method, route, address } = request;
    const durationMs = Math.round((monotonicMs() - startedAt) * 1000) / 1000;
    const outcome = status === 0 ? 'the client went away' : undefined;
    this.#options.logRequest({ requestId, tokenId, method, route, status, durationMs, address, outcome });
  }

  #refuseRate(reply: ManagementReply): void {
    const { requestId, limitKey } = reply.request;
    const seconds = this.#options.requestRate.retryAfterSeconds(limitKey);
    this.#options.meter.countLimited('management-requests');
    reply.answerWith(429, rateLimitedHeaders(requestId, seconds), 'Too Many Requests\n', null);
  }

  #refuseTooManyFailures(reply: ManagementReply): void {
    const seconds = this.#options.failedAuthentications.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('failed-authentications');
    reply.refuse({ code: 'too-many-failed-attempts', detail: tooManyFailures }, null, seconds);
  }

  #collect(reply: ManagementReply): void {
    const { bodyBudget, requestDeadlineMs } = this.#options;
    const limits = { bytesMax: bodyBytesMax, budget: bodyBudget, intervalMs: requestDeadlineMs };
    readBody(reply.exchange, reply.request.declaredBytes, limits, (outcome) => {
      this.#write(reply, outcome).catch((fault: unknown) => {
        this.#actors.onFault(fault, reply.request.requestId);
        reply.refuseInternal();
      });
    });
  }

  async #write(reply: ManagementReply, outcome: BodyOutcome): Promise<void> {
    if (outcome.kind === 'stalled') reply.refuseAndClose({ code: 'request-timeout', detail: stalledBody });
    else if (outcome.kind === 'over-budget') reply.refuseUnavailable(overBudget);
    else if (outcome.kind === 'too-large') {
      await answerWrite(reply, asCall(reply.request, null, true), this.#actors);
    } else {
      try {
        await answerWrite(reply, asCall(reply.request, outcome.bytes, false), this.#actors);
      } finally {
        outcome.release();
      }
    }
  }
}

function asCall(
  request: ManagementRequest,
  body: Uint8Array | null,
  isBodyTooLarge: boolean,
): ManagementCall {
  return {
    requestId: request.requestId,
    route: request.route,
    flagId: request.flagId,
    query: request.query,
    address: request.address,
    body,
    isBodyTooLarge,
    authorization: request.authorization,
    ifNoneMatch: request.ifNoneMatch,
    ifMatch: request.ifMatch,
    idempotencyKey: request.idempotencyKey,
  };
}
