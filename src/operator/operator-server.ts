import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CompiledSchema, compileSchema } from '../contracts/compiled-schema.ts';
import { messageOf } from '../support/message-of.ts';
import { within } from '../support/within.ts';
import { writerVerbs } from '../writer/thread/operator-verbs.ts';
import { fileBytesMax, type OperatorContext } from './apply-file.ts';
import { createOperator, type VerbName } from './operator.ts';
import { operatorProtocolVersion, otherVersion, protocolHeader, storeHeader } from './operator-protocol.ts';
import { closeToOthers, prepareSocketPlace, removeSocketPlace } from './socket-place.ts';

const connectionsMax = 128;
/** A client sends its request as soon as it is connected. */
const headWithinMs = 3000;
/** A client that sends nothing of its body, or takes nothing of its answer, for this long is disconnected. */
const silenceMaxMs = 30_000;
/** How long a stopping service waits until an answer is taken. */
const finishTimeoutMs = 1500;
const headBytesMax = 16 * 1024;
/** Largest arguments of a verb that takes no file. */
const argsBytesMax = 2 ** 20;

const otherStore =
  'The server of this directory has another store open: the directory was replaced while the server ran. Restart the server.';
const unknownRequest = 'this server does not know that request';

type ArgsCheck = CompiledSchema<(typeof writerVerbs)[keyof typeof writerVerbs]['args']>;

const argsChecks: ReadonlyMap<string, ArgsCheck> = new Map(
  Object.entries(writerVerbs).map(([verb, { args }]) => [verb, compileSchema(args) as ArgsCheck]),
);

export interface OperatorServerOptions {
  readonly directory: string;
  readonly storeId: string;
  readonly context: OperatorContext;
  readonly silenceMs?: number;
}

export interface OperatorServer {
  readonly socketPath: string;
  /** Number of requests that wait or run. */
  readonly requests: number;
  /** Refuses new connections, waits for changes that are being written, and removes the socket. */
  stop(): Promise<void>;
}

/** Serves the operator on the data directory's Unix socket, mode 0600. The caller's process holds the claim. */
export async function serveOperator(options: OperatorServerOptions): Promise<OperatorServer> {
  const socketPath = prepareSocketPlace(options.directory);
  const server = createServer({
    maxHeaderSize: headBytesMax,
    headersTimeout: headWithinMs,
    connectionsCheckingInterval: headWithinMs / 3,
    // A file may wait for the files before it.
    requestTimeout: 0,
  });
  server.maxConnections = connectionsMax;
  const exchanges = new Map<Socket, Exchange>();
  const runNext = oneAtATime();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    // A connection carries one request: a second one ends both.
    if (exchanges.has(socket)) {
      socket.destroy();
      return;
    }
    socket.once('close', () => exchanges.delete(socket));
    exchanges.set(socket, new Exchange(request, response, runNext, options));
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  server.listen(socketPath);
  await once(server, 'listening');
  closeToOthers(socketPath);
  return {
    socketPath,
    get requests() {
      return exchanges.size;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      await Promise.all(Array.from(exchanges.values(), (exchange) => exchange.stop()));
      server.closeAllConnections();
      await closed;
      removeSocketPlace(options.directory);
    },
  };
}

type RunNext = (run: () => Promise<void>) => Promise<void>;

/** Runs one file at a time, in the order of arrival: a large one takes hundreds of megabytes until it is applied. */
function oneAtATime(): RunNext {
  let last: Promise<void> = Promise.resolve();
  return (run) => {
    const done = last.then(run);
    last = done.catch(() => undefined);
    return done;
  };
}

/** The reason why a request is not begun. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One request and its answer. */
class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: OperatorServerOptions;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    runNext: RunNext,
    options: OperatorServerOptions,
  ) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
    response.shouldKeepAlive = false;
    response.on('close', () => this.#abort.abort(new Error('the client has gone')));
    this.#done = this.#serve(runNext).catch((fault: unknown) => this.#fail(fault));
  }

  /** Gives up a change that is not being written yet, and waits for one that is. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('The server is stopping; nothing was changed. Run the command again.'));
    await this.#done;
    // An answer on its way may have secrets that are never shown again, so it gets some time to arrive.
    if (!this.#response.closed) await within(finishTimeoutMs, once(this.#response, 'close'));
  }

  async #serve(runNext: RunNext): Promise<void> {
    const verb = this.#admit();
    if (verb !== 'apply') return await this.#run(verb);
    this.#response.writeProcessing();
    await runNext(() => this.#run(verb));
  }

  /** @throws {Refusal} */
  #admit(): VerbName {
    const { headers, method, url = '' } = this.#request;
    if (headers[protocolHeader] !== String(operatorProtocolVersion)) throw new Refusal(400, otherVersion);
    if (headers[storeHeader] !== this.#options.storeId) throw new Refusal(409, otherStore);
    const verb = url.slice(1);
    const isFile = verb === 'apply';
    if (method !== 'POST' || !(isFile || argsChecks.has(verb))) throw new Refusal(404, unknownRequest);
    if (headers['content-length'] === undefined)
      throw new Refusal(411, 'a request to this server needs a Content-Length');
    if (Number(headers['content-length']) > (isFile ? fileBytesMax : argsBytesMax))
      throw new Refusal(413, 'the request body is too large');
    return verb as VerbName;
  }

  async #run(verb: VerbName): Promise<void> {
    const { signal } = this.#abort;
    signal.throwIfAborted();
    const body = await this.#receive();
    const operator = createOperator({ ...this.#options.context, signal });
    const answer = await operator(verb, verb === 'apply' ? body : (readArgs(verb, body) as never));
    this.#answer(200, answer);
  }

  /** A file's memory is allocated here, after the files before it are done. */
  async #receive(): Promise<Uint8Array> {
    const { signal } = this.#abort;
    const givenUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    this.#disconnectIfSilent();
    if (this.#request.headers.expect !== undefined) this.#response.writeContinue();
    const body = await Promise.race([readBody(this.#request), givenUp]);
    // The client now waits for the writer, and has nothing to send.
    this.#request.socket.setTimeout(0);
    return body;
  }

  #disconnectIfSilent(): void {
    this.#request.socket.setTimeout(this.#options.silenceMs ?? silenceMaxMs);
  }

  #answer(status: number, answer: unknown): void {
    if (this.#response.destroyed) return;
    const body = Buffer.from(`${JSON.stringify(answer)}\n`);
    this.#disconnectIfSilent();
    this.#response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    this.#response.end(body);
  }

  #fail(fault: unknown): void {
    this.#answer(fault instanceof Refusal ? fault.status : 500, { message: messageOf(fault) });
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const body = new Uint8Array(Number(request.headers['content-length']));
  let filled = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    body.set(chunk, filled);
    filled += chunk.length;
  }
  return body;
}

function readArgs(verb: string, body: Uint8Array): unknown {
  let args: unknown;
  try {
    args = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new Refusal(400, unknownRequest);
  }
  if (argsChecks.get(verb)?.isRight(args) !== true) throw new Refusal(400, unknownRequest);
  return args;
}
