import type { AnswerMeter } from '../observability/answer-meter.ts';
import type { AnswerPolicy, ExchangeOptions } from './answer-policy.ts';
import { writeAtOnce, writeChecked } from './answer-writing.ts';
import { type ConnectionRules, watchConnections } from './connection-rules.ts';
import { Exchange, type ExchangeClass } from './exchange.ts';
import type { HeaderBlock } from './header-block.ts';
import { type Manner, PipeliningGuard } from './pipelining-guard.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import { needsCare, RequestView } from './request-view.ts';
import { type AppDescriptor, createApp, type HttpRequest, type HttpResponse, type UwsApp } from './uws.ts';

export type HttpMethod = 'get' | 'head' | 'post' | 'patch' | 'options' | 'any';

export interface HttpRoute {
  readonly method: HttpMethod;
  /** A path pattern. Segments may be open (`:id`), and the last one may match the rest (`*`). */
  readonly pattern: string;
  /** The route under which its answers are counted; a handler may set another one (`Exchange.route`). */
  readonly countedAs: number;
  /** The class of its exchanges, if it is not `Exchange` itself. */
  readonly exchange?: ExchangeClass;
  /** Must answer, or keep the exchange and answer later. An exception becomes a 500. */
  handle(exchange: Exchange, request: RequestView): void;
}

/**
 * A route that is answered before its handler returns, from the last segment of its path and its query alone. It needs
 * no exchange, no abort handler and no cork of its own, and allocates nothing.
 */
export interface DirectRoute {
  readonly method: 'get' | 'head';
  /** The pattern ends in one open segment. */
  readonly pattern: string;
  readonly countedAs: number;
  /** The class of exchange for answers that are not given at once, if it is not `Exchange` itself. */
  readonly exchange?: ExchangeClass;
  /** @returns what to write, valid until the next call */
  answer(segment: string, query: string): ReadyAnswer;
  /** Makes the answer to a request for which `answer` threw. */
  fail(fault: unknown): ReadyAnswer;
}

interface WorkerServerOptions extends ConnectionRules {
  readonly routes: readonly HttpRoute[];
  readonly directRoutes: readonly DirectRoute[];
  readonly meter: AnswerMeter;
  readonly policy: AnswerPolicy;
  /** The answer when a handler throws. */
  readonly failure: { readonly headers: HeaderBlock; readonly body: string };
  readonly onFault: (fault: unknown) => void;
  /**
   * Answers a request whose end another parser could find elsewhere, and closes its connection. @param fault in the
   * request
   */
  readonly refuseAmbiguous: (exchange: Exchange, request: RequestView, fault: string) => void;
}

/** The app of a worker's thread. It does not listen: the front end hands it connections. */
export interface WorkerServer {
  /** The handle by which the front end knows it. */
  readonly descriptor: AppDescriptor;
  /** Closes every connection. No connection may be on its way from the front end: it would end the process. */
  close(): void;
}

/** Shared by all routes of an app. */
interface RouteParts extends WorkerServerOptions, ExchangeOptions {
  readonly view: RequestView;
}

/**
 * A worker's side of uWebSockets.js. One wrapper for all routes ensures that each request has an abort handler before
 * its handler returns (otherwise the process would end), and that an exception becomes a 500.
 */
export function createWorkerServer(options: WorkerServerOptions): WorkerServer {
  const app = createApp();
  let connections = 0;
  const guard = new PipeliningGuard(() => connections);
  const parts: RouteParts = { ...options, guard, view: new RequestView() };
  for (const route of options.routes) addRoute(app, route, parts);
  for (const route of options.directRoutes) addDirectRoute(app, route, parts);
  const onConnection = (change: number): boolean => {
    connections += change;
    return options.onConnection(change);
  };
  watchConnections(app, { onConnection, crowded: options.crowded });
  return {
    descriptor: app.getDescriptor(),
    close: () => {
      app.close();
    },
  };
}

function addRoute(app: UwsApp, route: HttpRoute, parts: RouteParts): void {
  const { view, guard } = parts;
  const { exchange: RouteExchange = Exchange } = route;
  app[route.method](route.pattern, (response: HttpResponse, request: HttpRequest): void => {
    const isHead =
      route.method === 'head' || (route.method === 'any' && request.getCaseSensitiveMethod() === 'HEAD');
    const exchange = new RouteExchange(response, isHead, route.countedAs, guard.next(), parts);
    handleExchange(exchange, view.show(request), parts, route);
  });
}

/** @param route answers a request whose end is known; if it throws, the answer is a 500 */
function handleExchange(
  exchange: Exchange,
  view: RequestView,
  options: RouteParts,
  route: Pick<HttpRoute, 'handle'>,
): void {
  try {
    const fault = view.framingFault();
    if (fault === null) {
      exchange.isLast = view.hasUncertainEnd;
      exchange.isClientsLast = view.endsConnection;
      route.handle(exchange, view);
    } else options.refuseAmbiguous(exchange, view, fault);
  } catch (fault) {
    options.onFault(fault);
    exchange.answer(500, options.failure.headers, options.failure.body);
  }
  exchange.handlerReturned();
  view.hide();
}

/**
 * Crossings into the addon for an answered evaluation: the lines of the head, segment, query, one block of headers, the
 * end.
 */
function addDirectRoute(app: UwsApp, route: DirectRoute, parts: RouteParts): void {
  const { meter, policy, guard, view } = parts;
  const { exchange: RouteExchange = Exchange } = route;
  const isHead = route.method === 'head';
  // Without a closure: V8 would allocate the captured variables for each request.
  app[route.method](route.pattern, (response: HttpResponse, request: HttpRequest): void => {
    const manner = guard.next();
    const mustClose = policy.mustClose();
    const isAtOnce = manner === 'plain' || manner === 'checked';
    if (!isAtOnce || mustClose || isHead || needsCare(request)) {
      answerWithCare(response, request, manner, mustClose);
      return;
    }
    const startedAt = meter.beginAtOnce();
    const answer = decide(request);
    const isDone =
      manner === 'plain' ? writeAtOnce(response, answer, guard) : writeChecked(response, answer, guard);
    if (!isDone) new Exchange(response, isHead, route.countedAs, manner, parts).keepRest(answer.body);
    meter.countAtOnce(route.countedAs, answer.status, startedAt);
  });

  function decide(request: HttpRequest): ReadyAnswer {
    try {
      return route.answer(request.getParameter(0) ?? '', request.getQuery() ?? '');
    } catch (fault) {
      return route.fail(fault);
    }
  }

  function answerWithCare(
    response: HttpResponse,
    request: HttpRequest,
    manner: Manner,
    mustClose: boolean,
  ): void {
    const exchange = new RouteExchange(response, isHead, route.countedAs, manner, parts);
    exchange.mustClose = mustClose;
    const handle = (): void => {
      const answer = decide(request);
      exchange.answer(answer.status, answer.headers, answer.body);
    };
    handleExchange(exchange, view.show(request), parts, { handle });
  }
}
