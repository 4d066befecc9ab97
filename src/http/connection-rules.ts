import { writeHead } from './answer-writing.ts';
import type { HeaderBlock } from './header-block.ts';
import type { HttpResponse, UwsApp } from './uws.ts';

/** What an app does about connections before anything is read of them. */
export interface ConnectionRules {
  /**
   * A connection came, or went. Told of those that were refused too.
   * @param change 1 or -1. @returns whether one that came may stay
   */
  readonly onConnection: (change: number) => boolean;
  /** The answer to one that may not stay: 503, whatever it was going to ask. */
  readonly crowded: { readonly headers: HeaderBlock; readonly body: string };
}

export function watchConnections(app: UwsApp, { onConnection, crowded }: ConnectionRules): void {
  const note = (response: HttpResponse, hasCome: boolean): void => {
    if (!onConnection(hasCome ? 1 : -1) && hasCome) refuse(response, crowded);
  };
  // Some releases declare the change as the object type `Number`.
  app.filter((response, change) => note(response, Number(change) > 0));
}

/**
 * Closed at once, since the descriptor is what there is too little of. A client that has sent its request already gets a
 * reset behind the answer.
 */
function refuse(response: HttpResponse, { headers, body }: ConnectionRules['crowded']): void {
  response.cork(() => {
    writeHead(response, 503, headers);
    // All in one call: without a request the library takes every answer for ended.
    response.end(body, true);
  });
}
