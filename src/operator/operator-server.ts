import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CompiledSchema, compileSchema } from '../contracts/compiled-schema.ts';
import { messageOf } from '../support/message-of.ts';
import { within } from '../support/within.ts';
import { writerVerbs } from '../writer/thread/operator-verbs.ts';
import { createOperator, fileVerbs, type VerbArgs, type VerbName } from './operator.ts';
import {
  type ApplyProgress,
  fileBytesMax,
  operatorProtocolVersion,
  otherVersion,
  protocolHeader,
  type ServerLine,
  storeHeader,
} from './operator-protocol.ts';
import { OperatorTurns } from './operator-turns.ts';
import type { OperatorContext } from './provisioning.ts';
import { closeToOthers, prepareSocketPlace, removeSocketPlace } from './socket-place.ts';

const connectionsMax = 16;
/** Connections that may have a file, which is applied or waits: the others are left for short commands. */
const appliesMax = 12;
/**
 * A client sends its request as soon as it is connected. One that does not takes one of a few connections for nothing.
 */
const askWithinMs = 3000;
/** A client is gone when it sends nothing for so long although it is its turn, or takes nothing of its answer. */
const silenceMaxMs = 30_000;
/** How long a stopping service waits until an answer is taken. */
const finishTimeoutMs = 1500;
const headBytesMax = 16 * 1024;
/** Largest arguments of a verb that takes no file. */
const argsBytesMax = 2 ** 20;

const otherStore =
  'The server of this directory has another store open: the directory was replaced while the server ran. Restart the server.';
const unknownRequest = 'this server does not know that request';
const tooManyApplies =
  `${appliesMax} files are being applied or wait for their turn; nothing was changed. Run the command ` +
  'again when one of them is done.';

/** By verb, the shape of its arguments; null for a verb that takes a file. */
const shapes: ReadonlyMap<string, CompiledSchema<VerbSchema> | null> = new Map([
  ...Object.entries(writerVerbs).map(([verb, { args }]) => [verb, compileSchema<VerbSchema>(args)] as const),
  ...Object.keys(fileVerbs).map((verb) => [verb, null] as const),
]);
type VerbSchema = (typeof writerVerbs)[keyof typeof writerVerbs]['args'];

export interface OperatorServerOptions {
  readonly directory: string;
  readonly storeId: string;
  readonly context: OperatorContext;
  /** How long a client may send nothing, or take nothing of its answer. */
  readonly silenceMs?: number;
}

export interface OperatorServer {
  readonly socketPath: string;
  /** Number of connected clients. */
  readonly connections: number;
  /** Refuses new connections, ends idle ones, waits for changes that are being written, and removes the socket. */
  stop(): Promise<void>;
}

/** Serves the operator on the data directory's Unix socket, mode 0600. The caller's process holds the claim. */
export async function serveOperator(options: OperatorServerOptions): Promise<OperatorServer> {
  const { directory } = options;
  const socketPath = prepareSocketPlace(directory);
  const turns = new OperatorTurns();
  /** Each connection with its request; null until the request has arrived. */
  const clients = new Map<Socket, Exchange | null>();
  const server = createServer({
    maxHeaderSize: headBytesMax,
    // Node's own time limits are off, and so are its checks for them: a request may wait for its turn.
    headersTimeout: 0,
    requestTimeout: 0,
    connectionsCheckingInterval: 2 ** 31 - 1,
  });
  server.on('connection', (socket: Socket) => {
    if (clients.size >= connectionsMax && !cutIdleOne(clients)) {
      socket.destroy();
      return;
    }
    clients.set(socket, null);
    const overdue = setTimeout(() => {
      if (clients.get(socket) !== null) return;
      clients.delete(socket);
      socket.end(greetingOfVersion1(), () => socket.destroy());
    }, askWithinMs);
    socket.once('close', () => {
      clearTimeout(overdue);
      clients.delete(socket);
    });
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    // A connection carries one request: with a second one, both are lost.
    if (clients.get(socket) === null) clients.set(socket, new Exchange(request, response, turns, options));
    else socket.destroy();
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  server.listen(socketPath);
  await once(server, 'listening');
  closeToOthers(socketPath);
  return {
    socketPath,
    get connections() {
      return clients.size;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      await Promise.all(
        [...clients].map(([socket, exchange]) => (exchange === null ? socket.destroy() : exchange.stop())),
      );
      await closed;
      removeSocketPlace(directory);
    },
  };
}

/** Cuts off the client that has been without a request for longest. @returns whether there was one */
function cutIdleOne(clients: Map<Socket, Exchange | null>): boolean {
  for (const [socket, exchange] of clients) {
    if (exchange !== null) continue;
    clients.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}

/**
 * Clients of protocol 1 wait for a greeting of two lengths of four bytes, and JSON. This one has the server's version,
 * which such a client reports.
 */
function greetingOfVersion1(): Uint8Array {
  const json = Buffer.from(JSON.stringify({ kind: 'hello', protocolVersion: operatorProtocolVersion }));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  return Buffer.concat([lengths, json]);
}

/** The reason why a request is not begun. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Admitted {
  readonly verb: VerbName;
  /** Shape of the arguments; null for a file. */
  readonly shape: CompiledSchema<VerbSchema> | null;
  /** Bytes of the body. */
  readonly bytes: number;
}

/** One request and its answer. */
class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #turns: OperatorTurns;
  readonly #options: OperatorServerOptions;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    turns: OperatorTurns,
    options: OperatorServerOptions,
  ) {
    this.#request = request;
    this.#response = response;
    this.#turns = turns;
    this.#options = options;
    response.shouldKeepAlive = false;
    response.on('close', () => this.#abort.abort(new Error('the client has gone')));
    this.#done = this.#serve().catch((fault: unknown) => this.#fail(fault));
  }

  /** Gives up a change that is not being written yet, and waits for one that is. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('The server is stopping; nothing was changed. Run the command again.'));
    await this.#done;
    // An answer on its way may have secrets that are never shown again, so it gets some time to arrive.
    if (!this.#response.closed) await within(finishTimeoutMs, once(this.#response, 'close'));
    this.#request.socket.destroy();
  }

  async #serve(): Promise<void> {
    const admitted = this.#admit();
    if (admitted.shape !== null) return await this.#run(admitted);
    this.#response.writeProcessing();
    await this.#turns.take(() => this.#run(admitted));
  }

  #admit(): Admitted {
    const { headers, method, url = '' } = this.#request;
    if (headers[protocolHeader] !== String(operatorProtocolVersion)) throw new Refusal(400, otherVersion);
    if (headers[storeHeader] !== this.#options.storeId) throw new Refusal(409, otherStore);
    const verb = url.slice(1);
    const shape = shapes.get(verb);
    if (method !== 'POST' || shape === undefined) throw new Refusal(404, unknownRequest);
    const bytes = Number(headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(bytes)) throw new Refusal(411, 'a request to this server needs a Content-Length');
    if (bytes > (shape === null ? fileBytesMax : argsBytesMax))
      throw new Refusal(413, 'the request body is too large');
    if (shape === null && this.#turns.asked >= appliesMax) throw new Refusal(503, tooManyApplies);
    return { verb: verb as VerbName, shape, bytes };
  }

  async #run({ verb, shape, bytes }: Admitted): Promise<void> {
    const { signal } = this.#abort;
    signal.throwIfAborted();
    const body = await this.#receive(bytes);
    const args = shape === null ? body : readArgs(shape, body);
    const operator = createOperator({ ...this.#options.context, signal });
    const onProgress: ApplyProgress = (phase, done, total) =>
      this.#write({ kind: 'progress', phase, done, total });
    const outcome = await operator(verb, args as VerbArgs<VerbName>, onProgress);
    const { document, ...answer } = outcome as { readonly document?: Uint8Array };
    this.#write({ kind: 'answer', answer });
    if (document !== undefined && !this.#response.destroyed) this.#response.write(document);
    this.#end();
  }

  /** The memory for a body is taken when its turn comes, because sixteen clients could each announce a file. */
  async #receive(bytes: number): Promise<Uint8Array> {
    const { socket, headers } = this.#request;
    const { signal } = this.#abort;
    const givenUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    this.#expectBytes();
    if (headers.expect !== undefined) this.#response.writeContinue();
    const body = await Promise.race([readBody(this.#request, bytes), givenUp]);
    // From here on the client only waits for the writer. A closed connection is noticed without a time limit.
    socket.setTimeout(0);
    return body;
  }

  /** The client has to send something, or to take its answer: a silent one is cut off. */
  #expectBytes(): void {
    this.#request.socket.setTimeout(this.#options.silenceMs ?? silenceMaxMs);
  }

  #write(line: ServerLine): void {
    if (this.#response.destroyed) return;
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    this.#response.write(`${JSON.stringify(line)}\n`);
  }

  #end(): void {
    this.#expectBytes();
    this.#response.end();
  }

  #fail(fault: unknown): void {
    const message = messageOf(fault);
    if (this.#response.destroyed) return;
    if (this.#response.headersSent) this.#write({ kind: 'failed', message });
    else {
      const status = fault instanceof Refusal ? fault.status : 500;
      this.#response.writeHead(status, { 'content-type': 'application/json' });
      this.#response.write(`${JSON.stringify({ message })}\n`);
    }
    this.#end();
  }
}

async function readBody(request: IncomingMessage, bytes: number): Promise<Uint8Array> {
  const body = new Uint8Array(bytes);
  let filled = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    body.set(chunk, filled);
    filled += chunk.length;
  }
  return body;
}

function readArgs(shape: CompiledSchema<VerbSchema>, body: Uint8Array): unknown {
  let args: unknown;
  try {
    args = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new Refusal(400, unknownRequest);
  }
  if (!shape.isRight(args)) throw new Refusal(400, unknownRequest);
  return args;
}
