import { answerConsoleRead } from '../api/console/answer-console-read.ts';
import { answerConsoleWrite } from '../api/console/answer-console-write.ts';
import type { ConsoleActors } from '../api/console/console-actors.ts';
import { type ConsoleApiRequest, copyConsoleRequest } from '../api/console/console-api-request.ts';
import { consoleConversations } from '../api/console/console-conversations.ts';
import { readConsoleQuery } from '../api/console/console-query.ts';
import { ConsoleReply } from '../api/console/console-reply.ts';
import { openIdCookie } from '../api/console/open-id/open-id-cookie.ts';
import { PageWatchers } from '../api/console/page-watchers.ts';
import { foreignOrigin, isOwnOrigin } from '../api/console/request-origin.ts';
import { type SessionCookie, sessionCookie } from '../api/console/session-cookie.ts';
import type { LongAnswers } from '../api/long-answers.ts';
import { overloaded } from '../api/overloaded.ts';
import type { ConsoleCall } from '../contracts/console/console-call.ts';
import type { ConsoleOperation } from '../contracts/console/console-operation.ts';
import { consoleOperations } from '../contracts/console/console-operations.ts';
import type { ConsoleOperationId } from '../contracts/console/console-paths.ts';
import type { ConsoleSettings } from '../contracts/console/public-handler.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { Reads } from '../evaluator/reads/reads.ts';
import { type BodyBudget, type BodyOutcome, readBody } from '../http/body-reader.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import type { HostClient } from './host-client.ts';
import type { AddressFinder } from './limits/address-finder.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import { AttemptLimiters, type AttemptMemory } from './limits/attempt-limiters.ts';
import type { SharedBudget } from './limits/shared-budget.ts';
import { scatteredBody } from './management-gate.ts';
import type { RequestMeter } from './request-meter.ts';
import { type RouteName, routeIndex } from './route-names.ts';

export interface ConsoleGateOptions {
  readonly settings: ConsoleSettings;
  readonly reads: Reads;
  readonly longAnswers: LongAnswers;
  readonly host: HostClient;
  readonly addresses: AddressFinder;
  /** Raised after each commit. */
  readonly storeVersion: SharedArrayBuffer;
  readonly requestRate: AddressLimiter;
  readonly bodyBudget: BodyBudget;
  /** Told how long each part of a body took, in milliseconds. */
  onBodyStep(ms: number): void;
  /** Requests that are not answered yet. */
  readonly inFlight: SharedBudget;
  readonly attempts: AttemptMemory;
  readonly requestDeadlineMs: number;
  readonly meter: RequestMeter;
  readonly log: Logger;
  /** Whether a provider is configured. */
  readonly hasOpenId: boolean;
}

/** A request that leaves a line in the log. `hasRoom`: it is one of those that may be in flight at once. */
interface Opened {
  readonly reply: ConsoleReply;
  readonly hasRoom: boolean;
}

const noOperation = 'The console has no endpoint of this method and path.';
const tooManyRequests = 'Too many requests of the console from this address. Wait a minute before you retry.';
const stalledBody = 'The request body stopped arriving. Send it whole, and faster.';
const overBudget = 'The service is receiving as much as it may buffer. Retry in a moment.';
/** Of what is sent before anybody is known: a secret, a name, a password. */
const smallBodyBytesMax = 16 * 1024;

const countedAs: Readonly<Record<(typeof consoleOperations)[ConsoleOperationId]['actor'], RouteName>> = {
  read: 'console-read',
  writer: 'console-change',
  conversation: 'console-session',
};

/**
 * The door of the console's API. In this order: request rate, requests in flight, the operation, the origin of what may
 * change something, the query, the session if a body follows, the body; then the request is read here, sent to the writer whole, or
 * led through its steps: each looks at the session first. Every request leaves one line in the log.
 */
export class ConsoleGate {
  readonly #options: ConsoleGateOptions;
  readonly #actors: ConsoleActors;
  readonly #cookie: SessionCookie;
  readonly #watchers: PageWatchers;

  constructor(options: ConsoleGateOptions) {
    this.#options = options;
    const { settings, reads, longAnswers, host, log, storeVersion } = options;
    this.#cookie = sessionCookie(settings.baseUrl);
    const onFault = (fault: unknown): void => log.error({ err: fault }, 'watching changes failed');
    this.#watchers = new PageWatchers({ reads, places: host.watchPlaces, storeVersion, onFault });
    this.#actors = {
      reads,
      longAnswers,
      writer: host.writer,
      watchers: this.#watchers,
      settings,
      cookie: this.#cookie,
      passwords: host.passwords,
      attempts: new AttemptLimiters(options.attempts, options.meter),
      openIdCookie: openIdCookie(settings.baseUrl),
      openId: options.hasOpenId ? host.openId : null,
      touch: (sessionId) => {
        if (sessionId !== null) host.tell({ kind: 'touched', sessionId });
      },
      onFault: (fault, requestId) => log.error({ err: fault, requestId }, 'console request failed'),
    };
  }

  /** Ends the streams of pages that follow changes: the service is about to stop. */
  endWatches(): void {
    this.#watchers.close();
  }

  handle(exchange: Exchange, view: RequestView): void {
    const { reply, hasRoom } = this.#open(exchange, view);
    try {
      this.#admit(reply, view, hasRoom);
    } catch (fault) {
      this.#actors.onFault(fault, reply.request.requestId);
      reply.refuseInternal();
    }
  }

  /** A request whose end cannot be found: it counts toward the rate like any other, and its connection is closed. */
  refuseAmbiguous(exchange: Exchange, view: RequestView, fault: string): void {
    const { reply } = this.#open(exchange, view);
    this.#options.requestRate.take(reply.request.limitKey);
    reply.refuseAndClose({ code: 'invalid-request', detail: fault });
  }

  #admit(reply: ConsoleReply, view: RequestView, hasRoom: boolean): void {
    const { operation, method, limitKey, rawQuery } = reply.request;
    const { requestRate, settings } = this.#options;
    if (!requestRate.take(limitKey)) this.#refuseRate(reply);
    else if (!hasRoom) reply.refuseUnavailable(overloaded);
    else if (operation === null) reply.refuse({ code: 'not-found', detail: noOperation });
    else if (method !== 'get' && !isOwnOrigin(view, settings.baseUrl)) {
      reply.refuse({ code: 'foreign-origin', detail: foreignOrigin });
    } else {
      const { query: known, hasForeignQuery }: ConsoleOperation = consoleOperations[operation];
      const query = readConsoleQuery(hasForeignQuery === true ? '' : rawQuery, known);
      if (query.ok) this.#receive(reply, operation, query.query);
      else reply.refuse({ code: 'invalid-request', detail: query.detail });
    }
  }

  #refuseRate(reply: ConsoleReply): void {
    const retryAfter = this.#options.requestRate.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('console-requests');
    reply.refuse({ code: 'too-many-requests', detail: tooManyRequests }, { retryAfter });
  }

  #receive(
    reply: ConsoleReply,
    operation: ConsoleOperationId,
    query: Readonly<Record<string, string>>,
  ): void {
    const answer = (body: Uint8Array | null): void => {
      this.#dispatch(reply, operation, query, body).catch((fault: unknown) => {
        this.#actors.onFault(fault, reply.request.requestId);
        reply.refuseInternal();
      });
    };
    if (consoleOperations[operation].body === null) answer(null);
    else if (!this.#refuse(reply, operation)) this.#collect(reply, operation, answer);
  }

  /** Refuses by its head, before the body is collected, what its sender may not do. @returns whether it was */
  #refuse(reply: ConsoleReply, operation: ConsoleOperationId): boolean {
    const { params, sessionSecret } = reply.request;
    const refusal = this.#actors.reads.refuseConsole({ operation, params, sessionSecret });
    if (refusal === null) return false;
    const { status, body, contentType, memberId } = refusal;
    reply.answer(status, String(body), { contentType }, memberId);
    return true;
  }

  #collect(reply: ConsoleReply, operation: ConsoleOperationId, answer: (body: Uint8Array) => void): void {
    const { bodyBudget, requestDeadlineMs } = this.#options;
    const { actor, access } = consoleOperations[operation];
    const isSmall = actor === 'conversation' || access.scope === 'public';
    const bytesMax = isSmall ? smallBodyBytesMax : bodyBytesMax;
    const limits = {
      bytesMax,
      budget: bodyBudget,
      intervalMs: requestDeadlineMs,
      onStep: this.#options.onBodyStep,
    };
    readBody(reply.exchange, reply.request.declaredBytes, limits, (outcome: BodyOutcome) => {
      if (outcome.kind === 'stalled') reply.refuseAndClose({ code: 'request-timeout', detail: stalledBody });
      else if (outcome.kind === 'scattered')
        reply.refuseAndClose({ code: 'invalid-request', detail: scatteredBody });
      else if (outcome.kind === 'over-budget') reply.refuseUnavailable(overBudget);
      else if (outcome.kind === 'too-large') {
        const detail = `The request body is larger than ${bytesMax} bytes. Send less at once.`;
        reply.refuse({ code: 'payload-too-large', detail });
      } else {
        reply.releaseBody = outcome.release;
        answer(outcome.bytes);
      }
    });
  }

  async #dispatch(
    reply: ConsoleReply,
    operation: ConsoleOperationId,
    query: Readonly<Record<string, string>>,
    body: Uint8Array | null,
  ): Promise<void> {
    const { actor } = consoleOperations[operation];
    if (actor === 'conversation') {
      const run = consoleConversations[operation];
      if (run === undefined) throw new Error(`nobody answers ${operation}`);
      await run({ reply, query, body }, this.#actors);
      return;
    }
    const { requestId, params, sessionSecret, address, userAgent } = reply.request;
    const call: ConsoleCall = {
      requestId,
      operation,
      params,
      query,
      sessionSecret,
      address,
      userAgent,
      body,
    };
    if (actor === 'read') answerConsoleRead(reply, call, this.#actors);
    else await answerConsoleWrite(reply, call, this.#actors);
  }

  #open(exchange: Exchange, view: RequestView): Opened {
    const address = this.#options.addresses.find(exchange, view);
    const request = copyConsoleRequest(view, newId(), address, this.#cookie);
    exchange.route = routeIndex(routeOf(request.operation));
    const startedAt = monotonicMs();
    let isOpen = true;
    const hasRoom = this.#options.inFlight.take(1);
    const close = (status: number, memberId: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      if (hasRoom) this.#options.inFlight.give(1);
      reply.releaseBody();
      this.#logRequest(request, status, memberId, startedAt);
    };
    const reply = new ConsoleReply(exchange, request, this.#options.settings.docsUrl, close);
    exchange.onAborted(() => close(0, null));
    return { reply, hasRoom };
  }

  #logRequest(request: ConsoleApiRequest, status: number, memberId: string | null, startedAt: number): void {
    const { requestId, method, operation, address } = request;
    const durationMs = Math.round((monotonicMs() - startedAt) * 1000) / 1000;
    const outcome = status === 0 ? 'the client went away' : undefined;
    const line = { requestId, memberId, method, route: operation, status, durationMs, address, outcome };
    this.#options.log.info(line, 'console request');
  }
}

function routeOf(operation: ConsoleOperationId | null): RouteName {
  if (operation === null) return 'console-other';
  if (operation === 'watch-project' || operation === 'watch-organisation') return 'console-events';
  return countedAs[consoleOperations[operation].actor];
}
