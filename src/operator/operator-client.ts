import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestOf } from 'node:http';
import type { Operator, VerbName } from './operator.ts';
import {
  type ApplyProgress,
  fileBytesMax,
  operatorProtocolVersion,
  otherVersion,
  protocolHeader,
  type ServerLine,
  storeHeader,
} from './operator-protocol.ts';

/** No server answers at the data directory's socket: none is running, or it is still starting. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/** The server ended before it answered, or does not serve the store in this directory. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}

/** Where a server listens. */
export interface OperatorPlace {
  readonly socketPath: string;
}

const greetingMaxMs = 10_000;
const chunkBytes = 2 ** 20;
const lineBytesMax = 2 ** 20;
const newline = 0x0a;

/** The operator of the server that listens on a socket. Each call has a connection of its own. */
export function remoteOperator(place: OperatorPlace, storeId: string): Operator {
  const ask = async (verb: VerbName, args: unknown, onProgress: ApplyProgress = () => undefined) => {
    const body = args instanceof Uint8Array ? args : Buffer.from(JSON.stringify(args));
    const headers = {
      [protocolHeader]: operatorProtocolVersion,
      [storeHeader]: storeId,
      expect: '100-continue',
      'content-length': body.length,
    };
    const request = requestOf({ ...place, agent: false, method: 'POST', path: `/${verb}`, headers });
    return await readAnswer(await send(request, body, onProgress), onProgress);
  };
  return ask as Operator;
}

/** Sends the head, and the body when the server asks for it. @returns when the head of the answer has arrived. */
function send(request: ClientRequest, body: Uint8Array, onProgress: ApplyProgress): Promise<IncomingMessage> {
  let isGreeted = false;
  request.setTimeout(greetingMaxMs, () => request.destroy(new NoServer('the server does not answer')));
  return new Promise((resolve, reject) => {
    request.on('information', ({ statusCode }) => {
      isGreeted = true;
      request.setTimeout(0);
      if (statusCode === 100) sendBody(request, body, onProgress).catch(() => reject(serverGone()));
    });
    request.on('response', (response) => {
      request.setTimeout(0);
      resolve(response);
    });
    request.on('error', (fault: NodeJS.ErrnoException) => {
      // A server of protocol 1 sends a greeting that is not HTTP.
      if (fault.code?.startsWith('HPE_')) reject(new ServerFault(otherVersion));
      else reject(isGreeted ? serverGone() : new NoServer(fault.message));
    });
    request.flushHeaders();
  });
}

/** Sends the body in pieces, so that progress can be shown, and at most one piece waits in memory. */
async function sendBody(request: ClientRequest, body: Uint8Array, onProgress: ApplyProgress): Promise<void> {
  for (let at = 0; at < body.length; at += chunkBytes) {
    if (!request.write(body.subarray(at, at + chunkBytes))) await once(request, 'drain');
    onProgress('receive', Math.min(at + chunkBytes, body.length), body.length);
  }
  request.end();
}

/** @throws {ServerFault} */
async function readAnswer(response: IncomingMessage, onProgress: ApplyProgress): Promise<unknown> {
  const lines = new AnswerLines();
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      for (const line of lines.take(chunk)) {
        if (response.statusCode !== 200) throw new ServerFault((line as { message: string }).message);
        if (line.kind === 'failed') throw new ServerFault(line.message);
        if (line.kind === 'progress') onProgress(line.phase, line.done, line.total);
      }
    }
  } catch (fault) {
    throw fault instanceof ServerFault ? fault : serverGone();
  }
  return lines.answer();
}

/** Splits an answer into its lines, up to the line of kind `answer`; the rest is its document. */
class AnswerLines {
  #open: Uint8Array = new Uint8Array(0);
  #answer: object | null = null;
  readonly #document: Uint8Array[] = [];
  #documentBytes = 0;

  *take(chunk: Uint8Array): Generator<ServerLine> {
    this.#open = this.#open.length === 0 ? chunk : Buffer.concat([this.#open, chunk]);
    while (this.#answer === null) {
      const end = this.#open.indexOf(newline);
      if (end === -1) break;
      const line = JSON.parse(new TextDecoder().decode(this.#open.subarray(0, end))) as ServerLine;
      this.#open = this.#open.subarray(end + 1);
      if (line.kind === 'answer') this.#answer = line.answer;
      yield line;
    }
    if (this.#answer !== null) this.#takeDocument();
    else if (this.#open.length > lineBytesMax) throw new ServerFault('The answer of the server is too large');
  }

  #takeDocument(): void {
    this.#documentBytes += this.#open.length;
    if (this.#documentBytes > fileBytesMax) throw new ServerFault('The answer of the server is too large');
    this.#document.push(this.#open);
    this.#open = new Uint8Array(0);
  }

  answer(): unknown {
    if (this.#answer === null) throw serverGone();
    if (this.#documentBytes === 0) return this.#answer;
    return { ...this.#answer, document: Buffer.concat(this.#document) };
  }
}

function serverGone(): ServerFault {
  return new ServerFault(
    'The server ended before it answered. The change may have been applied. Run the command again: it changes only what ' +
      'differs. If the file declares new tokens, they may exist by now, and their secrets are lost: revoke them and apply again.',
  );
}
