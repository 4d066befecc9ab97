import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CompiledSchema, compileSchema } from '../contracts/compiled-schema.ts';
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
import type { OperatorContext } from './provisioning.ts';
import { closeToOthers, prepareSocketPlace, removeSocketPlace } from './socket-place.ts';

const connectionsMax = 16;
/** Of the connections, those that may have a file which is applied or waits for it: the others are for short commands. */
const appliesMax = 12;
/** A client asks as soon as it is connected: one that has not by then holds one of a few connections for nothing. */
const askWithinMs = 3000;
/** A client that says nothing for so long, when it is its turn to, is gone; so is one that takes nothing of its answer. */
const silenceMaxMs = 30_000;
/** How long the end of the service waits for an answer to be taken. */
const finishTimeoutMs = 1500;
const headBytesMax = 16 * 1024;
/** Arguments of a verb that is sent no file. */
const argsBytesMax = 2 ** 20;

const otherStore =
  'The server that answers in this directory holds another store: the directory was replaced while it ran. Restart it.';
const unknownRequest = 'this server does not know that request';
const tooManyApplies =
  `${appliesMax} files are being applied, or wait for it, one after another; nothing was changed. Run the command ` +
  'again when one of them is through.';

/** By verb, the shape of its arguments; null for a file. */
const shapes: ReadonlyMap<string, CompiledSchema<VerbSchema> | null> = new Map([
  ...Object.entries(writerVerbs).map(([verb, { args }]) => [verb, compileSchema<VerbSchema>(args)] as const),
  ...Object.keys(fileVerbs).map((verb) => [verb, null] as const),
]);
type VerbSchema = (typeof writerVerbs)[keyof typeof writerVerbs]['args'];

export interface OperatorServerOptions {
  readonly directory: string;
  readonly storeId: string;
  readonly context: OperatorContext;
  /** How long a client may say nothing, or take nothing of its answer. */
  readonly silenceMs?: number;
}

export interface OperatorServer {
  readonly socketPath: string;
  /** Clients that are connected. */
  readonly connections: number;
  /** Refuses new connections, ends idle ones, waits for what is being written, and removes the socket. */
  stop(): Promise<void>;
}

/** Serves the operator on the data directory's Unix socket, mode 0600. The caller's process holds the claim. */
export async function serveOperator(options: OperatorServerOptions): Promise<OperatorServer> {
  const { directory } = options;
  const socketPath = prepareSocketPlace(directory);
  const turns = new Turns();
  /** Each with its request; null until it has asked. */
  const clients = new Map<Socket, Exchange | null>();
  const server = createServer({
    maxHeaderSize: headBytesMax,
    // Time limits of Node's own are off, and it need not look for them: a request may wait for its turn.
    headersTimeout: 0,
    requestTimeout: 0,
    connectionsCheckingInterval: 2 ** 31 - 1,
  });
  server.maxConnections = connectionsMax;
  server.on('connection', (socket: Socket) => {
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
    // A connection carries one request: with another one both are lost.
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

/**
 * Clients of protocol 1 waited for a greeting: two lengths of four bytes, and JSON. Such a client is told which version
 * answers, and says so.
 */
function greetingOfVersion1(): Uint8Array {
  const json = Buffer.from(JSON.stringify({ kind: 'hello', protocolVersion: operatorProtocolVersion }));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  return Buffer.concat([lengths, json]);
}

/** Lets one at a time, in the order of asking. */
class Turns {
  /** Those who wait, and the one whose turn it is. */
  asked = 0;
  #last: Promise<void> = Promise.resolve();

  /** Runs when all who asked before are done, however they end. */
  take(run: () => Promise<void>): Promise<void> {
    this.asked += 1;
    const turn = this.#last.then(run).finally(() => {
      this.asked -= 1;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Why a request is not begun. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Admitted {
  readonly verb: VerbName;
  /** Of the arguments; null for a file. */
  readonly shape: CompiledSchema<VerbSchema> | null;
  /** Of the body. */
  readonly bytes: number;
}

/** One request and its answer. */
class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #turns: Turns;
  readonly #options: OperatorServerOptions;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    turns: Turns,
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

  /** Gives up what is not being written yet, and waits for what is. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('The server is stopping; nothing was changed. Run the command again.'));
    await this.#done;
    // An answer that is on its way may hold secrets that are never shown again: it has a while to arrive.
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
    if (Number.isNaN(bytes)) throw new Refusal(411, 'a request to this server says how long its body is');
    if (bytes > (shape === null ? fileBytesMax : argsBytesMax)) throw new Refusal(413, 'that is too large');
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

  /** Memory for a body is taken when it is its turn: sixteen clients could announce a file each. */
  async #receive(bytes: number): Promise<Uint8Array> {
    const { socket, headers } = this.#request;
    const { signal } = this.#abort;
    const givenUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    this.#expectBytes();
    if (headers.expect !== undefined) this.#response.writeContinue();
    const body = await Promise.race([readBody(this.#request, bytes), givenUp]);
    // From here on the client only waits, for the writer; a connection that is closed tells by itself.
    socket.setTimeout(0);
    return body;
  }

  /** The client is to send something, or to take its answer: one that is silent is cut off. */
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
    const message = fault instanceof Error ? fault.message : String(fault);
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
