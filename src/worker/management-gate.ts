import { managementPreflightHeaders, rateLimitedHeaders } from '../api/answer-headers.ts';
import type { LongAnswers } from '../api/long-answers.ts';
import { answerRead, type ManagementActors } from '../api/management/answer-read.ts';
import { answerWrite, refuseWrite } from '../api/management/answer-write.ts';
import { ManagementReply } from '../api/management/management-reply.ts';
import { copyManagementRequest, type ManagementRequest } from '../api/management/management-request.ts';
import { overloaded } from '../api/overloaded.ts';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { Reads } from '../evaluator/reads/reads.ts';
import { type BodyBudget, type BodyOutcome, readBody } from '../http/body-reader.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import type { WriterPort } from '../writer/writer-client.ts';
import type { AddressFinder } from './limits/address-finder.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { SharedBudget } from './limits/shared-budget.ts';
import type { RequestMeter } from './request-meter.ts';
import { type RouteName, routeIndex } from './route-names.ts';
import type { UsedBy } from './token-use-of.ts';

export interface ManagementGateOptions {
  readonly docsUrl: string;
  readonly reads: Reads;
  readonly longAnswers: LongAnswers;
  readonly writer: WriterPort;
  readonly addresses: AddressFinder;
  readonly requestRate: AddressLimiter;
  readonly failedAuthentications: AddressLimiter;
  readonly bodyBudget: BodyBudget;
  /** Told how long each part of a body took, in milliseconds. */
  onBodyStep(ms: number): void;
  /** Requests that are not answered yet. */
  readonly inFlight: SharedBudget;
  readonly requestDeadlineMs: number;
  readonly meter: RequestMeter;
  /** Of all workers: how many denials could not be recorded. */
  readonly unrecordedDenials: SharedArrayBuffer;
  onTokenUsed(use: UsedBy, status: number, tokenId: string): void;
  readonly log: Logger;
  readonly logRequest: LogRequest;
}

/** A request that leaves a line in the log. `hasRoom`: it is one of those that may be in flight at once. */
interface Opened {
  readonly reply: ManagementReply;
  readonly hasRoom: boolean;
}

const otherRoute: RouteName = 'management-other';
const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';
const stalledBody = 'The request body stopped arriving. Send it whole, and faster.';
export const scatteredBody =
  'The request body comes in too many chunks for its length. Send larger ones, or a Content-Length.';
const overBudget = 'The service is receiving as much as it may buffer. Retry in a moment.';

/**
 * The door of the Management API: the first three steps of the decided order of checks (request rate, preflight, failed
 * authentications), then a read is answered here and a change goes to the writer, whole. A change that its token may not
 * make is refused here too, before its body is collected. Every request leaves one line in the log.
 */
export class ManagementGate {
  readonly #options: ManagementGateOptions;
  readonly #actors: ManagementActors;

  constructor(options: ManagementGateOptions) {
    this.#options = options;
    this.#actors = {
      reads: options.reads,
      longAnswers: options.longAnswers,
      writer: options.writer,
      countFailure: (limitKey) => {
        options.meter.countFailedAuthentication();
        return options.failedAuthentications.take(limitKey);
      },
      refuseTooManyFailures: (reply) => this.#refuseTooManyFailures(reply),
      countUnrecordedDenial: (requestId, outcome) => {
        options.meter.countUnrecordedDenial();
        const sinceStart = Atomics.add(new Int32Array(options.unrecordedDenials), 0, 1) + 1;
        options.log.error({ requestId, outcome, sinceStart }, 'a denial was not recorded');
      },
      onFault: (fault, requestId) =>
        options.log.error({ err: fault, requestId }, 'management request failed'),
    };
  }

  handle(exchange: Exchange, view: RequestView): void {
    const { reply, hasRoom } = this.#open(exchange, view);
    try {
      this.#admit(reply, hasRoom);
    } catch (fault) {
      this.#actors.onFault(fault, reply.request.requestId);
      reply.refuseInternal();
    }
  }

  #admit(reply: ManagementReply, hasRoom: boolean): void {
    const { request } = reply;
    const { requestRate, failedAuthentications } = this.#options;
    if (!requestRate.take(request.limitKey)) this.#refuseRate(reply);
    else if (request.method === 'options') {
      reply.answerWith(204, managementPreflightHeaders(request.requestId), '', null);
    } else if (failedAuthentications.isFull(request.limitKey)) this.#refuseTooManyFailures(reply);
    else if (!hasRoom) reply.refuseUnavailable(overloaded);
    else if (request.route === 'create-flag' || request.route === 'patch-flag') this.#receive(reply);
    else answerRead(reply, asCall(request, null, false), this.#actors);
  }

  #receive(reply: ManagementReply): void {
    if (!refuseWrite(reply, asCall(reply.request, null, false), this.#actors)) this.#collect(reply);
  }

  /** A request whose end cannot be found: it counts toward the rate like any other, and its connection is closed. */
  refuseAmbiguous(exchange: Exchange, view: RequestView, fault: string): void {
    const { reply } = this.#open(exchange, view);
    this.#options.requestRate.take(reply.request.limitKey);
    reply.refuseAndClose({ code: 'invalid-request', detail: fault });
  }

  #open(exchange: Exchange, view: RequestView): Opened {
    const request = copyManagementRequest(view, newId(), this.#options.addresses.find(exchange, view));
    exchange.route = routeIndex(request.route ?? otherRoute);
    const startedAt = monotonicMs();
    let isOpen = true;
    const hasRoom = this.#options.inFlight.take(1);
    const close = (status: number, tokenId: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      if (hasRoom) this.#options.inFlight.give(1);
      if (tokenId !== null) this.#options.onTokenUsed(request, status, tokenId);
      this.#logRequest(request, status, tokenId, startedAt);
    };
    exchange.onAborted(() => close(0, null));
    return { reply: new ManagementReply(exchange, request, this.#options.docsUrl, close), hasRoom };
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
    const limits = {
      bytesMax: bodyBytesMax,
      budget: bodyBudget,
      intervalMs: requestDeadlineMs,
      onStep: this.#options.onBodyStep,
    };
    readBody(reply.exchange, reply.request.declaredBytes, limits, (outcome) => {
      this.#write(reply, outcome).catch((fault: unknown) => {
        this.#actors.onFault(fault, reply.request.requestId);
        reply.refuseInternal();
      });
    });
  }

  async #write(reply: ManagementReply, outcome: BodyOutcome): Promise<void> {
    if (outcome.kind === 'stalled') reply.refuseAndClose({ code: 'request-timeout', detail: stalledBody });
    else if (outcome.kind === 'scattered')
      reply.refuseAndClose({ code: 'invalid-request', detail: scatteredBody });
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
