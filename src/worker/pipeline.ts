import { readBody, type Stalls, type UnreadBody } from '../http/body-reader.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import { plainText, tooManyRequestsText } from '../operations/answer-headers.ts';
import { ApiRequest as AnyRequest } from '../operations/api-request.ts';
import type { ApiCall } from '../operations/call.ts';
import type { Operation } from '../operations/dispatch.ts';
import { cutOff, overloaded } from '../operations/refuse-undecided.ts';
import { readCallerIds } from '../support/caller-ids.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import type { Api, ApiRequest } from './api.ts';
import type { AddressFinder } from './limits/address-finder.ts';
import { clientOf, type Pool } from './limits/quota.ts';
import { guarded, refuseCaller, refuseTooManyFailures, takeQuota } from './operation-answers.ts';
import { routeIndex } from './route-names.ts';

export interface PipelineParts {
  readonly addresses: AddressFinder;
  readonly bodies: Pool;
  /** Receives how long each part of a body took, in milliseconds. */
  onBodyStep(ms: number): void;
  readonly stalls: Stalls;
}

/**
 * One check of a request.
 * @param goOn makes the next checks, for a check that has to wait
 * @returns false: it has answered the request, or waits
 */
type Check = (request: ApiRequest, api: Api, parts: PipelineParts, goOn: () => void) => boolean;

/**
 * The order of checks (docs/api.md#order-of-checks), for every API of operations. Routes are matched before, and a path
 * without an operation is refused by `checkCaller`. What an operation checks itself comes after these: flag, environments, query
 * and body, `If-Match`.
 */
const checks: readonly Check[] = [
  checkRequestRate,
  answerPreflight,
  checkLease,
  checkFailedAttempts,
  checkOrigin,
  checkCaller,
  checkQuota,
  receiveBody,
  checkCallerAgain,
];

/** 1. Requests of the address in a minute. */
function checkRequestRate(request: ApiRequest, { requestRate, meter }: Api): boolean {
  const { limitKey } = request.head;
  if (requestRate === null || requestRate.limiter.take(limitKey)) return true;
  const { limiter, countedAs, detail } = requestRate;
  const retryAfter = limiter.retryAfterSeconds(limitKey);
  meter.countLimited(countedAs);
  if (detail === null) request.answer(429, tooManyRequestsText, { contentType: plainText, retryAfter });
  else request.refuse({ code: 'too-many-requests', detail }, retryAfter);
  return false;
}

/** 2. A preflight shows nothing of what is stored, and without its answer a page cannot read a refusal. */
function answerPreflight(request: ApiRequest, { hasPreflight }: Api): boolean {
  if (!hasPreflight || request.head.method !== 'options') return true;
  request.answer(204, '', {});
  return false;
}

/** A node that is cut off from its cluster cannot say what is current. */
function checkLease(request: ApiRequest, api: Api): boolean {
  if (api.isAttached()) return true;
  request.refuseUnavailable(cutOff);
  return false;
}

/** 3. Failed authentications of the address. */
function checkFailedAttempts(request: ApiRequest, api: Api): boolean {
  const { failedAuthentications: failed } = api;
  if (failed?.areCheckedFirst !== true || !failed.limiter.isFull(request.head.limitKey)) return true;
  refuseTooManyFailures(request, api);
  return false;
}

const foreignOrigin =
  'Only the console itself may make changes: send them with the header X-Burgee-Console: 1 from the origin of base-url. If this is your console, set base-url to the address in the browser.';

/** Another site must not make changes with a member's cookie. */
function checkOrigin(request: ApiRequest): boolean {
  if (!request.head.isForeign) return true;
  request.refuse({ code: 'foreign-origin', detail: foreignOrigin });
  return false;
}

/** 4 to 7. Credential, plan, route and permission. */
function checkCaller(request: ApiRequest, api: Api): boolean {
  const authorized = api.reads.authorize(request.operation, request.call);
  if (!authorized.ok) {
    refuseCaller(request, authorized.problem, api);
    return false;
  }
  request.caller = authorized.value;
  request.callerId = authorized.value.id;
  return true;
}

/** The client's quota of requests that wait: for a body, for the writer, or for other reads. */
function checkQuota(request: ApiRequest, api: Api): boolean {
  const { actor, bodyBytesMax } = operationOf(request);
  if (actor === 'read' && bodyBytesMax === null && !api.readQueue.isBusy) return true;
  if (takeQuota(request, api)) return true;
  request.refuseUnavailable(overloaded);
  return false;
}

/** While the body arrived, the caller's rights may have changed. The writer authorizes its callers itself. */
function checkCallerAgain(request: ApiRequest, api: Api): boolean {
  const { actor, bodyBytesMax } = operationOf(request);
  if (bodyBytesMax === null || actor === 'write' || actor === 'conversation') return true;
  return checkLease(request, api) && checkCaller(request, api);
}

const stalledBody = 'The request body stopped arriving. Send it whole, and faster.';
const scatteredBody =
  'The request body comes in too many chunks for its length. Send larger chunks, or a Content-Length.';
const overBudget = 'The memory for request bodies, or your quota of it, is used up. Retry in a moment.';

/** 8. The body, and its size. */
function receiveBody(request: ApiRequest, _api: Api, parts: PipelineParts, goOn: () => void): boolean {
  const { bodyBytesMax: bytesMax } = operationOf(request);
  if (bytesMax === null) return true;
  const { stalls, onBodyStep: onStep } = parts;
  readBody(
    request.exchange,
    request.head.declaredBytes,
    { bytesMax, viewBytesMax: 0, stalls, onStep },
    {
      budget: () => parts.bodies.quotaOf(clientOf(request.callerId, request.head.limitKey)),
      receive: (bytes, release) => {
        request.call.askedAt = monotonicMs();
        request.call.body = bytes;
        request.releaseBody = release;
        goOn();
      },
      refuse: (why) => refuseBody(request, why, bytesMax),
    },
  );
  return false;
}

function refuseBody(request: ApiRequest, why: UnreadBody, bytesMax: number): void {
  if (why === 'too-large') {
    const detail = `The request body is larger than ${bytesMax.toLocaleString('en')} bytes. Send a smaller one.`;
    request.refuse({ code: 'payload-too-large', detail });
  } else if (why === 'over-budget') request.refuseUnavailable(overBudget);
  else if (why === 'stalled') request.refuse({ code: 'request-timeout', detail: stalledBody });
  else request.refuse({ code: 'invalid-request', detail: scatteredBody });
}

function operationOf({ operation }: ApiRequest): Operation {
  if (operation === null) throw new Error('a request without an operation has passed the guard');
  return operation;
}

/** Serves the requests of all APIs of operations: makes the checks in their order, and runs the operation. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  handle(api: Api, exchange: Exchange, view: RequestView): void {
    this.#proceed(this.#open(api, exchange, view), api, 0);
  }

  /** @param from the first check that is still to be made */
  #proceed(request: ApiRequest, api: Api, from: number): void {
    try {
      for (let at = from; at < checks.length; at += 1) {
        const goOn = (): void => this.#proceed(request, api, at + 1);
        if (!(checks[at] as Check)(request, api, this.#parts, goOn)) return;
      }
      this.#run(request, api);
    } catch (fault) {
      api.onFault(fault, request);
      request.fail();
    }
  }

  #run(request: ApiRequest, api: Api): void {
    let running: Promise<void> | undefined;
    try {
      running = api.run(request);
    } finally {
      if (running === undefined) request.releaseBody();
    }
    if (running !== undefined) guarded(request, api, running);
  }

  /**
   * Refuses a request whose end is not certain: it counts toward the rate like any other, and its connection is closed.
   */
  refuseAmbiguous(api: Api, exchange: Exchange, view: RequestView, fault: string): void {
    const request = this.#open(api, exchange, view);
    api.requestRate?.limiter.take(request.head.limitKey);
    exchange.isLast = true;
    request.refuse({ code: 'invalid-request', detail: fault });
  }

  /** Copies what is needed of the request after its handler has returned. Each request leaves one line in the log. */
  #open(api: Api, exchange: Exchange, view: RequestView): ApiRequest {
    const { text: address, limitKey } = this.#parts.addresses.find(exchange, view);
    const method = view.method();
    const matched = api.match(method, view.path());
    const operation = matched?.operation ?? null;
    const own = api.copy(view, operation);
    const startedAt = monotonicMs();
    exchange.route = routeIndex(api.countedAs(operation, own.accept));
    // Field by field: to spread several objects into one with this many fields takes V8 ten microseconds.
    const call: ApiCall = {
      api: api.format.name,
      requestId: newId(),
      operation: operation?.id ?? null,
      params: matched?.params ?? {},
      query: view.query(),
      credential: own.credential,
      header: own.header,
      address,
      userAgent: own.userAgent,
      body: null,
      askedAt: startedAt,
    };
    const request = new AnyRequest(exchange, api.format, operation, call, {
      method,
      callerIds: readCallerIds(view.headerValues('traceparent'), view.headerValues('x-request-id')),
      cookies: own.cookies,
      accept: own.accept,
      coding: own.coding,
      isBackground: own.isBackground,
      isForeign: own.isForeign,
      limitKey,
      declaredBytes: view.declaredBytes,
    });
    let isOpen = true;
    const close = (status: number): void => {
      if (!isOpen) return;
      isOpen = false;
      // A client that goes away does not end the work on its request, which needs the body and counts until it is done.
      if (status !== 0 || request.running === 0) request.giveBack();
      api.note(request, status, Math.round((monotonicMs() - startedAt) * 1000) / 1000);
    };
    request.onAnswered = close;
    exchange.onAborted(() => close(0));
    return request;
  }
}
