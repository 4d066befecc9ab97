import type { AnswerMeter } from '../observability/answer-meter.ts';
import { assert } from '../support/assert.ts';
import type { AnswerPolicy } from './answer-policy.ts';
import { type ConnectionRules, watchConnections } from './connection-rules.ts';
import { Exchange } from './exchange.ts';
import { describeRefusedListen, ListenError } from './listen-error.ts';
import { PipeliningGuard } from './pipelining-guard.ts';
import { RequestView } from './request-view.ts';
import {
  type AppDescriptor,
  closeListenSocket,
  createApp,
  type ListenSocket,
  listen,
  localPort,
} from './uws.ts';

export interface FrontServerOptions extends ConnectionRules {
  readonly meter: AnswerMeter;
  /** The route under which its answers are counted, unless the handler sets another one. */
  readonly countedAs: number;
  readonly policy: AnswerPolicy;
  /** Answers a request for which there is no worker: at once, and closes its connection. */
  readonly handle: (exchange: Exchange, view: RequestView) => void;
  readonly onFault: (fault: unknown) => void;
}

/** Listens, and hands each connection to the app of another thread. */
export interface FrontServer {
  /** @returns the port that was taken. @throws ListenError when the port cannot be taken */
  listen(host: string, port: number): Promise<number>;
  /** From now on, new connections go to the added apps, round robin. */
  add(descriptor: AppDescriptor): void;
  remove(descriptor: AppDescriptor): void;
  /** Accepts no new connections. */
  stopListening(): void;
  close(): void;
}

/** While there is an app to hand them to, the front end reads no byte of a connection. */
export function createFrontServer(options: FrontServerOptions): FrontServer {
  const app = createApp();
  const view = new RequestView();
  const guard = new PipeliningGuard(() => 0);
  let listening: ListenSocket | null = null;
  // An app that is added twice would get twice its share, and one that has closed would crash the process.
  const inRotation = new Set<AppDescriptor>();
  watchConnections(app, options);
  app.any('/*', (response, request) => {
    const isHead = request.getCaseSensitiveMethod() === 'HEAD';
    const exchange = new Exchange(response, isHead, options.countedAs, guard.next(), { ...options, guard });
    try {
      exchange.isClientsLast = view.show(request).endsConnection;
      options.handle(exchange, view);
    } catch (fault) {
      options.onFault(fault);
      exchange.cut();
    }
    exchange.handlerReturned();
    view.hide();
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        listen(app, host, port, (socket) => {
          if (socket === false) {
            reject(new ListenError(describeRefusedListen(host, port)));
            return;
          }
          listening = socket;
          resolve(localPort(socket));
        });
      }),
    add: (descriptor) => {
      assert(!inRotation.has(descriptor), 'an app is added once');
      inRotation.add(descriptor);
      app.addChildAppDescriptor(descriptor);
    },
    remove: (descriptor) => {
      const gotSome = inRotation.delete(descriptor);
      assert(gotSome, 'an app that is removed was added');
      app.removeChildAppDescriptor(descriptor);
    },
    stopListening: () => {
      if (listening !== null) closeListenSocket(listening);
      listening = null;
    },
    close: () => {
      app.close();
    },
  };
}
