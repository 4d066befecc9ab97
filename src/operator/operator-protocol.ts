import type { MessagePort } from 'node:worker_threads';

/** What the operator's thread needs to start. */
export interface OperatorSetup {
  readonly directory: string;
  readonly storeId: string;
  readonly tokenPrefix: string;
  /** A port to the writer's `serveOperatorPort`. */
  readonly writerPort: MessagePort;
}

/** Messages to the operator's thread. */
export type OperatorControl = { readonly kind: 'stop' };

/** Messages from the operator's thread. */
export type OperatorReport =
  | { readonly kind: 'ready'; readonly socketPath: string }
  /** The socket could not be served. */
  | { readonly kind: 'fatal'; readonly message: string };

/** Changes when client and server would not understand each other any more. */
export const operatorProtocolVersion = 1;

/**
 * The Unix socket carries HTTP/1.1, one request on a connection:
 *
 *     POST /<verb>                   200 and the verb's answer as JSON;
 *     Burgee-Protocol: 1             500 and {"message"} when the verb failed;
 *     Burgee-Store: <id>             4xx and {"message"} when it was not begun
 *     Expect: 100-continue
 *     Content-Length: <bytes>
 *
 * The server compares version and store. It answers `102 Processing` while a file waits for the files before it, and
 * `100 Continue` when it begins the request. Only then the client sends the body: the verb's arguments as JSON, or a
 * file. So a client that never got `100 Continue` knows that nothing was changed.
 */
export const protocolHeader = 'burgee-protocol';
export const storeHeader = 'burgee-store';

export const otherVersion =
  'The running server has another version of Burgee than this command: use the command of that version.';
