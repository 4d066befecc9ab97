import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import type { AnswerMeter } from '../observability/answer-meter.ts';
import { Exchange } from './exchange.ts';
import type { HeaderBlock } from './header-block.ts';
import { describeRefusedListen, ListenError } from './listen-error.ts';
import { hasAmbiguousLength } from './request-framing.ts';
import { RequestView } from './request-view.ts';

/** uWebSockets.js reads this once, when it is loaded; its default of 4 KiB is less than cookies and proxies send. */
const headerBytesMax = 16_384;
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(headerBytesMax);
const uws = await import('uWebSockets.js');
const { App, us_listen_socket_close, us_socket_local_port } = uws;
/** The declarations name it `ListenOptions.LIBUS_LISTEN_EXCLUSIVE_PORT`; the addon exports it bare. */
const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as { readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number };

export type HttpMethod = 'get' | 'head' | 'post' | 'patch' | 'options' | 'any';

export interface HttpRoute {
  readonly method: HttpMethod;
  /** Segments may be open (`:id`) or the last one a rest (`*`). */
  readonly pattern: string;
  /** What its answers are counted as; a handler may know better (`Exchange.route`). */
  readonly countedAs: number;
  /** Must answer, or keep the exchange and answer later. What it throws becomes a 500. */
  handle(exchange: Exchange, request: RequestView): void;
}

export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[];
  readonly meter: AnswerMeter;
  /** The answer when a handler throws. */
  readonly failure: { readonly headers: HeaderBlock; readonly body: string };
  readonly onFault: (fault: unknown) => void;
  /** Answers, and closes, a request whose headers disagree on its length. */
  readonly refuseAmbiguous: (exchange: Exchange, request: RequestView) => void;
}

/** A listener that can be opened and closed once. */
export interface HttpServer {
  /** @returns the port that was taken. @throws ListenError when it cannot be */
  listen(host: string, port: number): Promise<number>;
  /** Takes no new connections; those that are open go on. */
  stopListening(): void;
  /** Closes every connection. */
  close(): void;
}

type Listen = (
  host: string,
  port: number,
  options: number,
  listener: (socket: us_listen_socket | false) => void,
) => TemplatedApp;

/**
 * The only door to uWebSockets.js. One wrapper for all routes sees to it that each request has an abort handler before
 * its handler returns (the process would end otherwise) and that a throw is a 500.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const app = App();
  const view = new RequestView();
  for (const route of options.routes) addRoute(app, route, view, options);
  let listening: us_listen_socket | null = null;
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        // The declaration lacks the form with both a host and options, which the addon has.
        (app.listen as unknown as Listen).call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
          if (socket === false) {
            reject(new ListenError(describeRefusedListen(host, port)));
            return;
          }
          listening = socket;
          resolve(us_socket_local_port(socket));
        });
      }),
    stopListening: () => {
      if (listening !== null) us_listen_socket_close(listening);
      listening = null;
    },
    close: () => {
      app.close();
    },
  };
}

function addRoute(app: TemplatedApp, route: HttpRoute, view: RequestView, options: HttpServerOptions): void {
  const handler = (response: HttpResponse, request: HttpRequest): void => {
    const isHead = route.method === 'head' || (route.method === 'any' && request.getMethod() === 'head');
    const exchange = new Exchange(response, isHead, options.meter, route.countedAs);
    try {
      if (hasAmbiguousLength(view.show(request))) options.refuseAmbiguous(exchange, view);
      else route.handle(exchange, view);
    } catch (fault) {
      options.onFault(fault);
      exchange.answer(500, options.failure.headers, options.failure.body);
    }
    view.show(null);
  };
  app[route.method](route.pattern, handler);
}
