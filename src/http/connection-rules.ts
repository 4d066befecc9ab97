import { writeHead } from './answer-writing.ts';
import type { HeaderBlock } from './header-block.ts';
import type { HttpResponse, UwsApp } from './uws.ts';

/** How an app treats a connection before it reads anything from it. */
export interface ConnectionRules {
  /**
   * A connection was opened or closed. Called for refused connections too.
   * @param change 1 or -1. @returns whether an opened connection may stay
   */
  readonly onConnection: (change: number) => boolean;
  /** The answer to a connection that may not stay: 503, for any request. */
  readonly crowded: { readonly headers: HeaderBlock; readonly body: string };
}

export function watchConnections(app: UwsApp, { onConnection, crowded }: ConnectionRules): void {
  const note = (response: HttpResponse, hasCome: boolean): void => {
    if (!onConnection(hasCome ? 1 : -1) && hasCome) refuse(response, crowded);
  };
  // Some releases pass the change as an object of type `Number`.
  app.filter((response, change) => note(response, Number(change) > 0));
}

/**
 * Answers and closes at once, because file descriptors are running out. A client that has sent its request already gets
 * a reset after the answer.
 */
function refuse(response: HttpResponse, { headers, body }: ConnectionRules['crowded']): void {
  response.cork(() => {
    writeHead(response, 503, headers);
    // All in one call: without a request, the library treats every answer as ended.
    response.end(body, true);
  });
}
