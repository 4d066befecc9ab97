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

/** The largest file that `apply` takes. */
export const fileBytesMax = 512 * 2 ** 20;

/** Changes when client and server would not understand each other any more. Version 1 was not HTTP. */
export const operatorProtocolVersion = 2;

/**
 * What crosses the Unix socket is HTTP/1.1, one request on a connection:
 *
 *     POST /<verb>                   or ServerLine as JSON lines, with status 200, and then, where the answer
 *     Burgee-Protocol: 2             has a document, its bytes; `{"message"}` with any other status: nothing
 *     Burgee-Store: <id>             was changed
 *     Expect: 100-continue
 *     Content-Length: <bytes>
 *
 * The server compares version and store, says `102 Processing` where the request waits for its turn, and `100 Continue`
 * when it is; only then the client sends the body: the verb's arguments as JSON, or a file. So nothing can have been
 * changed for a client that was not told to continue.
 */
export const protocolHeader = 'burgee-protocol';
export const storeHeader = 'burgee-store';

/** A line of an answer. The last one is an answer or a failure. */
export type ServerLine =
  | { readonly kind: 'progress'; readonly phase: ApplyPhase; readonly done: number; readonly total: number }
  | { readonly kind: 'answer'; readonly answer: object }
  /** The request failed; the message is for people. */
  | { readonly kind: 'failed'; readonly message: string };

/** What is counted: bytes received, flags checked, flags written. */
export type ApplyPhase = 'receive' | 'check' | 'write';

/** Called regularly while a file is applied. */
export type ApplyProgress = (phase: ApplyPhase, done: number, total: number) => void;

export const otherVersion =
  'The running server has another version of Burgee than this command: use the command of that version.';
