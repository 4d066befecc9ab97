import { type BodyOutcome, readBody } from '../http/body-reader.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { ApiManner } from '../operations/api-manner.ts';
import { ApiReply, type ApiRequest } from '../operations/api-reply.ts';
import type { ApiCall } from '../operations/call.ts';
import type { MatchRoute } from '../operations/match-route.ts';
import { cutOff, overloaded } from '../operations/refuse-undecided.ts';
import { readCallerIds } from '../support/caller-ids.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import { type ApiActors, checkHead, guarded } from './answers/answer-call.ts';
import type { AddressFinder, ClientAddress } from './limits/address-finder.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import { clientOf, type Pool, type Quota } from './limits/quota.ts';
import { type RouteName, routeIndex } from './route-names.ts';

/** The parts of a request that only one of the APIs has. */
export type OwnParts = Pick<
  ApiRequest,
  'credential' | 'cookies' | 'header' | 'accept' | 'coding' | 'userAgent' | 'isBackground'
>;

/** An API's own part of the way in. */
export interface ApiDoor {
  readonly manner: ApiManner;
  readonly requestRate: Pick<AddressLimiter, 'take'>;
  /** For requests that wait; null: they are not counted. */
  readonly requests: Pool | null;
  readonly actors: ApiActors;
  readonly match: MatchRoute<string>;
  /** @param id of the requested operation; null: no operation has this path */
  own(view: RequestView, id: string | null): OwnParts;
  countedAs(request: ApiRequest): RouteName;
  refuseRate(reply: ApiReply): void;
  /**
   * Runs the checks between the request rate and the credential, and answers the requests that it refuses.
   *
   * @returns whether the request goes on
   */
  admit(reply: ApiReply, view: RequestView): boolean;
  /** Whether the request needs no more than a read. */
  isRead(request: ApiRequest): boolean;
  /** @returns how long the body may be; null: the operation takes none */
  bodyBytesMax(request: ApiRequest): number | null;
  /**
   * For a body that is longer. @returns whether it was refused here; otherwise the call says that the body is too large
   */
  refuseTooLarge(reply: ApiReply, bytesMax: number): boolean;
  /** Answers at once, or before the promise resolves: the body is needed until then. */
  answer(reply: ApiReply, call: ApiCall): Promise<void> | undefined;
  /** Called when a request was answered; status 0: its client went away. */
  note(request: ApiRequest, status: number, askerId: string | null, durationMs: number): void;
}

export interface ApiGateOptions {
  readonly addresses: AddressFinder;
  readonly bodies: Pool;
  /** Receives how long each part of a body took, in milliseconds. */
  onBodyStep(ms: number): void;
  readonly requestDeadlineMs: number;
  /** Whether this service can say what is current: a node that is cut off from its cluster cannot. */
  isAttached(): boolean;
}

const stalledBody = 'The request body stopped arriving. Send it whole, and faster.';
const scatteredBody =
  'The request body comes in too many chunks for its length. Send larger chunks, or a Content-Length.';
const overBudget = 'The memory for request bodies, or your quota of it, is used up. Retry in a moment.';

/**
 * The way in of an API. The order is: the request rate, whether this node can say what is current, the checks of its door,
 * refusals that need the head alone, the client's quota, the body. Then a read is answered here, and a change goes to the writer, which checks
 * the asker again. Every request leaves one line in the log.
 */
export class ApiGate {
  readonly #door: ApiDoor;
  readonly #options: ApiGateOptions;

  constructor(door: ApiDoor, options: ApiGateOptions) {
    this.#door = door;
    this.#options = options;
  }

  handle(exchange: Exchange, view: RequestView): void {
    const reply = this.#open(exchange, view);
    const { requestRate, actors } = this.#door;
    try {
      if (!requestRate.take(reply.request.limitKey)) this.#door.refuseRate(reply);
      // A preflight tells nothing of what is stored, and without its answer a page cannot read the refusal.
      else if (reply.request.method !== 'options' && !this.#options.isAttached()) {
        reply.refuseUnavailable(cutOff);
      } else if (this.#door.admit(reply, view)) this.#receive(reply);
    } catch (fault) {
      actors.onFault(fault, reply.request);
      reply.refuseInternal();
    }
  }

  /**
   * Refuses a request whose end is not certain: it counts toward the rate like any other, and its connection is closed.
   */
  refuseAmbiguous(exchange: Exchange, view: RequestView, fault: string): void {
    const reply = this.#open(exchange, view);
    this.#door.requestRate.take(reply.request.limitKey);
    reply.refuseAndClose({ code: 'invalid-request', detail: fault });
  }

  #open(exchange: Exchange, view: RequestView): ApiReply {
    const { requests, manner } = this.#door;
    const request = this.#copy(view, this.#options.addresses.find(exchange, view));
    exchange.route = routeIndex(this.#door.countedAs(request));
    const startedAt = monotonicMs();
    let isOpen = true;
    let quota: Quota | null = null;
    const close = (status: number, askerId: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      quota?.end();
      // When the client has gone, work on the body goes on, so the body is kept.
      if (status !== 0) reply.releaseBody();
      this.#door.note(request, status, askerId, Math.round((monotonicMs() - startedAt) * 1000) / 1000);
    };
    const reply = new ApiReply(exchange, request, manner, close);
    if (requests !== null) {
      reply.mayWait = (client) => {
        if (quota !== null) return true;
        const own = requests.quotaOf(clientOf(client, request.limitKey));
        if (!isOpen || !own.take(1)) return false;
        quota = own;
        return true;
      };
    }
    exchange.onAborted(() => close(0, null));
    return reply;
  }

  /** Copies what is needed of the request after its handler has returned. */
  #copy(view: RequestView, { text: address, limitKey }: ClientAddress): ApiRequest {
    const method = view.method();
    const matched = this.#door.match(method, view.path());
    const operation = matched?.id ?? null;
    const declared = view.header('content-length');
    const callerIds = readCallerIds(view.headerValues('traceparent'), view.headerValues('x-request-id'));
    const own = this.#door.own(view, operation);
    // Field by field: V8 takes ten microseconds to spread several objects into one of so many fields.
    return {
      requestId: newId(),
      callerIds,
      method,
      operation,
      params: matched?.params ?? {},
      query: view.query(),
      address,
      limitKey,
      declaredBytes: declared === '' ? null : Number(declared),
      credential: own.credential,
      cookies: own.cookies,
      header: own.header,
      accept: own.accept,
      coding: own.coding,
      userAgent: own.userAgent,
      isBackground: own.isBackground,
    };
  }

  #receive(reply: ApiReply): void {
    const call = this.#callOf(reply, null, false);
    const bytesMax = this.#door.bodyBytesMax(reply.request);
    if (bytesMax === null && this.#door.isRead(reply.request)) {
      this.#answer(reply, call);
      return;
    }
    const asker = checkHead(reply, call, this.#door.actors);
    if (asker === undefined) return;
    const client = asker?.asker ?? null;
    if (!reply.mayWait(client)) reply.refuseUnavailable(overloaded);
    else if (bytesMax === null) this.#answer(reply, call);
    else {
      this.#collect(reply, this.#options.bodies.quotaOf(clientOf(client, reply.request.limitKey)), bytesMax);
    }
  }

  #collect(reply: ApiReply, budget: Quota, bytesMax: number): void {
    const { requestDeadlineMs: intervalMs, onBodyStep: onStep } = this.#options;
    const limits = { bytesMax, budget, intervalMs, onStep };
    readBody(reply.exchange, reply.request.declaredBytes, limits, (outcome) => {
      try {
        this.#take(reply, outcome, bytesMax);
      } catch (fault) {
        this.#door.actors.onFault(fault, reply.request);
        reply.refuseInternal();
      }
    });
  }

  #take(reply: ApiReply, outcome: BodyOutcome, bytesMax: number): void {
    reply.completeAt = monotonicMs();
    if (outcome.kind === 'stalled') reply.refuseAndClose({ code: 'request-timeout', detail: stalledBody });
    else if (outcome.kind === 'scattered') {
      reply.refuseAndClose({ code: 'invalid-request', detail: scatteredBody });
    } else if (outcome.kind === 'over-budget') reply.refuseUnavailable(overBudget);
    else if (outcome.kind === 'too-large') {
      if (this.#door.refuseTooLarge(reply, bytesMax)) return;
      this.#answer(reply, this.#callOf(reply, null, true));
    } else {
      reply.releaseBody = outcome.release;
      this.#answer(reply, this.#callOf(reply, outcome.bytes, false));
    }
  }

  /** The body is released when no work on it goes on any more, also when its client has gone meanwhile. */
  #answer(reply: ApiReply, call: ApiCall): void {
    const release = (): void => reply.releaseBody();
    let answering: Promise<void> | undefined;
    try {
      answering = this.#door.answer(reply, call);
    } finally {
      if (answering === undefined) release();
    }
    if (answering !== undefined) guarded(reply, this.#door.actors, answering.finally(release));
  }

  #callOf({ request, completeAt }: ApiReply, body: Uint8Array | null, isBodyTooLarge: boolean): ApiCall {
    return {
      api: this.#door.manner.name,
      requestId: request.requestId,
      operation: request.operation,
      params: request.params,
      query: request.query,
      credential: request.credential,
      header: request.header,
      address: request.address,
      userAgent: request.userAgent,
      body,
      isBodyTooLarge,
      askedAt: completeAt,
    };
  }
}
