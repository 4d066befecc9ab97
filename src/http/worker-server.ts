import type { AnswerMeter } from '../observability/answer-meter.ts';
import type { AnswerPolicy } from './answer-policy.ts';
import { writeHead } from './answer-writing.ts';
import { type ConnectionRules, watchConnections } from './connection-rules.ts';
import { Exchange, type ExchangeClass, type ExchangeOptions } from './exchange.ts';
import type { HeaderBlock } from './header-block.ts';
import { RequestView } from './request-view.ts';
import { type Manner, TurnGuard } from './turn-guard.ts';
import { type AppDescriptor, createApp, type HttpRequest, type HttpResponse, type UwsApp } from './uws.ts';

export type HttpMethod = 'get' | 'head' | 'post' | 'patch' | 'options' | 'any';

export interface HttpRoute {
  readonly method: HttpMethod;
  /** Segments may be open (`:id`) or the last one a rest (`*`). */
  readonly pattern: string;
  /** What its answers are counted as; a handler may know better (`Exchange.route`). */
  readonly countedAs: number;
  /** What its requests are answered through, where that is not `Exchange` itself. */
  readonly exchange?: ExchangeClass;
  /** Must answer, or keep the exchange and answer later. What it throws becomes a 500. */
  handle(exchange: Exchange, request: RequestView): void;
}

/** An answer that is ready to be written: one object for all of a route's answers. */
export interface ReadyAnswer {
  readonly status: number;
  readonly headers: HeaderBlock;
  readonly body: Uint8Array | string;
}

/**
 * A route that is answered before its handler returns, by the last segment of its path and its query alone. It needs no
 * exchange, no abort handler and no cork of its own, and allocates nothing.
 */
export interface DirectRoute {
  readonly method: 'get' | 'head';
  /** Ends in one open segment. */
  readonly pattern: string;
  readonly countedAs: number;
  /** What answers go through that are not given at once, where that is not `Exchange` itself. */
  readonly exchange?: ExchangeClass;
  /** @returns what to write, valid until the next call; null: the request has to wait */
  answer(segment: string, query: string): ReadyAnswer | null;
  /** Answers later, what `answer` gave null for. Must keep the exchange. What it throws becomes a 500. */
  wait(exchange: Exchange, request: RequestView): void;
  /** What `answer` threw becomes this. */
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
  /** Answers, and closes, a request whose end another parser could find elsewhere. @param fault what is wrong with it */
  readonly refuseAmbiguous: (exchange: Exchange, request: RequestView, fault: string) => void;
}

/** An app of a worker's thread. It listens to nothing: the front end hands it connections. */
export interface WorkerServer {
  /** What the front end knows it by. */
  readonly descriptor: AppDescriptor;
  /** Closes every connection. None may be on its way here any more: one that comes afterwards ends the process. */
  close(): void;
}

/** What the routes of an app share. */
interface RouteParts extends WorkerServerOptions, ExchangeOptions {
  readonly view: RequestView;
}

/**
 * A worker's side of uWebSockets.js. One wrapper for all routes sees to it that each request has an abort handler before
 * its handler returns (the process would end otherwise) and that a throw is a 500.
 */
export function createWorkerServer(options: WorkerServerOptions): WorkerServer {
  const app = createApp();
  let connections = 0;
  const turns = new TurnGuard(() => connections);
  const parts: RouteParts = { ...options, turns, view: new RequestView() };
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
  const { view, turns } = parts;
  const { exchange: RouteExchange = Exchange } = route;
  app[route.method](route.pattern, (response: HttpResponse, request: HttpRequest): void => {
    const isHead =
      route.method === 'head' || (route.method === 'any' && request.getCaseSensitiveMethod() === 'HEAD');
    const exchange = new RouteExchange(response, isHead, route.countedAs, turns.next(), parts);
    handleExchange(exchange, view.show(request), parts, () => route.handle(exchange, view));
  });
}

/** @param handle answers a request whose end is known; what it throws becomes a 500 */
function handleExchange(
  exchange: Exchange,
  view: RequestView,
  options: WorkerServerOptions,
  handle: () => void,
): void {
  try {
    const fault = framingFault(view);
    if (fault === null) {
      exchange.isLast = hasUncertainEnd(view);
      handle();
    } else options.refuseAmbiguous(exchange, view, fault);
  } catch (fault) {
    options.onFault(fault);
    exchange.answer(500, options.failure.headers, options.failure.body);
  }
  exchange.handlerReturned();
  view.show(null);
}

/**
 * Crossings into the addon of an answered evaluation: segment, query, two framing headers, one block of headers, the end.
 */
function addDirectRoute(app: UwsApp, route: DirectRoute, parts: RouteParts): void {
  const { meter, policy, turns, view } = parts;
  const { exchange: RouteExchange = Exchange } = route;
  const isHead = route.method === 'head';
  // Makes no closure: V8 would allocate what it captures for each request, used or not.
  app[route.method](route.pattern, (response: HttpResponse, request: HttpRequest): void => {
    const manner = turns.next();
    const mustClose = policy.mustClose();
    const isAtOnce = manner === 'plain' || manner === 'checked';
    if (!isAtOnce || mustClose || isHead || hasBody(request)) {
      answerWithCare(response, request, manner, mustClose);
      return;
    }
    const startedAt = meter.beginAtOnce();
    const answer = decide(request);
    if (answer === null) {
      letWait(response, request, manner);
      return;
    }
    const { status, headers, body } = answer;
    if (manner === 'plain') {
      writeHead(response, status, headers);
      response.end(body);
    } else if (!isTakenWhole(response, answer)) {
      new Exchange(response, isHead, route.countedAs, manner, parts).keepRest(body);
    }
    meter.countAtOnce(route.countedAs, status, startedAt);
  });

  function decide(request: HttpRequest): ReadyAnswer | null {
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
    answerByExchange(response, request, manner, (exchange) => {
      exchange.mustClose = mustClose;
      const answer = decide(request);
      if (answer === null) route.wait(exchange, view);
      else exchange.answer(answer.status, answer.headers, answer.body);
    });
  }

  function letWait(response: HttpResponse, request: HttpRequest, manner: Manner): void {
    answerByExchange(response, request, manner, (exchange) => route.wait(exchange, view));
  }

  function answerByExchange(
    response: HttpResponse,
    request: HttpRequest,
    manner: Manner,
    handle: (exchange: Exchange) => void,
  ): void {
    const exchange = new RouteExchange(response, isHead, route.countedAs, manner, parts);
    handleExchange(exchange, view.show(request), parts, () => handle(exchange));
  }
}

/** Writes an answer as far as its client's socket takes it. @returns whether that was all of it */
function isTakenWhole(response: HttpResponse, { status, headers, body }: ReadyAnswer): boolean {
  let isDone = false;
  response.cork(() => {
    writeHead(response, status, headers);
    [, isDone] = response.tryEnd(body, Buffer.byteLength(body));
  });
  return isDone;
}

/** A request that says it has a body may be framed so that its end cannot be found. */
function hasBody(request: HttpRequest): boolean {
  return request.getHeader('content-length') !== '' || request.getHeader('transfer-encoding') !== '';
}

const lengths =
  'The headers disagree on the length of the request body. Send one Content-Length, or Transfer-Encoding: chunked.';
const hosts = 'The request has more than one Host header. Send one.';
const methods = 'The request has no method of HTTP. Methods are upper-case letters.';

/** Known to every HTTP parser. What follows another one may be read as anything. */
const commonMethods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']);

/**
 * What in the head keeps another parser from finding the same end of the request: a proxy in front could then take a
 * part of it for the next one, or the other way round (request smuggling). Such a request is refused, and its connection
 * ends. Looks at every line: uWebSockets.js frames by the first of several, and takes an empty one for none.
 * @returns for the client; null when there is nothing
 */
function framingFault(request: RequestView): string | null {
  const sizes = request.headerValues('content-length');
  const encodings = request.headerValues('transfer-encoding');
  if (sizes.length + encodings.length > 1) return lengths;
  if (sizes.some((size) => !/^\d{1,15}$/.test(size))) return lengths;
  if (encodings.some((encoding) => encoding.toLowerCase() !== 'chunked')) return lengths;
  if (request.headerValues('host').length > 1) return hosts;
  return request.method() === 'other' ? methods : null;
}

/**
 * Whether only uWebSockets.js has seen where the request ends. It reads chunks loosely, and shows what is in them and not
 * how they were framed. So the connection ends with the answer: a request that seems to follow is never looked at.
 */
function hasUncertainEnd(request: RequestView): boolean {
  return request.header('transfer-encoding') !== '' || !commonMethods.has(request.method());
}
