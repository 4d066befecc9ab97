import { connect, type Socket } from 'node:net';
import type { Outcome } from '../domain/problem.ts';
import type { OperatorLinkResult, RevokeTokenResult, SetPlanResult } from '../writer/operator-port-protocol.ts';
import type { ApplyOutcome, ApplyProgress } from './apply-outcome.ts';
import { encodeFrame, type Frame, FrameReader } from './frame-codec.ts';
import type { Operator } from './operator.ts';
import { type ClientMessage, fileBytesMax, operatorProtocolVersion, type ServerMessage } from './operator-protocol.ts';
import { findSocketPlace } from './socket-place.ts';

/** No server answers at the data directory's socket: there is none, or it is still starting. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/** The server has gone before it answered, or does not serve the store in this directory. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}

const greetingMaxMs = 10_000;
const chunkBytes = 2 ** 20;

/** The operator in the server that holds a data directory. Each call is a connection of its own. */
export function remoteOperator(directory: string, storeId: string): Operator {
  const ask = (message: ClientMessage): Promise<Answer> => new Request(directory, storeId).ask(message);
  return {
    apply: async (file, onProgress) => {
      const request = new Request(directory, storeId, file, onProgress);
      return toOutcome(await request.ask({ kind: 'apply', storeId }));
    },
    setPlan: async (args): Promise<Outcome<SetPlanResult>> => {
      const { message } = await ask({ kind: 'set-plan', storeId, args });
      return message.kind === 'plan-set' ? message.outcome : unexpected(message);
    },
    makeSignInLink: async (args): Promise<Outcome<OperatorLinkResult>> => {
      const { message } = await ask({ kind: 'make-sign-in-link', storeId, args });
      return message.kind === 'sign-in-link-made' ? message.outcome : unexpected(message);
    },
    revokeToken: async (args): Promise<Outcome<RevokeTokenResult>> => {
      const { message } = await ask({ kind: 'revoke-token', storeId, args });
      return message.kind === 'token-revoked' ? message.outcome : unexpected(message);
    },
  };
}

interface Answer {
  readonly message: ServerMessage;
  readonly body: Uint8Array;
}

function toOutcome({ message, body }: Answer): ApplyOutcome {
  if (message.kind === 'applied') {
    const { warnings, counts } = message;
    return { ok: true, document: body, warnings, counts };
  }
  if (message.kind !== 'refused') return unexpected(message);
  return { ok: false, problems: message.problems, problemCount: message.problemCount };
}

function unexpected(message: ServerMessage): never {
  throw new ServerFault(message.kind === 'failed' ? message.message : `The server answered ${message.kind}`);
}

/** One connection: greeting, one request, progress, one answer. */
class Request {
  readonly #directory: string;
  readonly #storeId: string;
  readonly #file: Uint8Array | undefined;
  readonly #onProgress: ApplyProgress | undefined;

  constructor(directory: string, storeId: string, file?: Uint8Array, onProgress?: ApplyProgress) {
    this.#directory = directory;
    this.#storeId = storeId;
    this.#file = file;
    this.#onProgress = onProgress;
  }

  ask(request: ClientMessage): Promise<Answer> {
    const socket = connect(findSocketPlace(this.#directory));
    socket.setTimeout(greetingMaxMs, () => socket.destroy(new NoServer('the server does not answer')));
    return new Promise((resolve, reject) => {
      let isGreeted = false;
      const receive = ({ header, body }: Frame): void => {
        const message = header as ServerMessage;
        if (message.kind === 'hello') {
          this.#checkGreeting(message);
          isGreeted = true;
          socket.setTimeout(0);
          write(socket, request);
        } else if (message.kind === 'progress') {
          this.#onProgress?.(message.phase, message.done, message.total);
        } else if (message.kind === 'ready-for-file') {
          this.#sendFile(socket).catch(reject);
        } else {
          resolve({ message, body });
          socket.end();
        }
      };
      const reader = new FrameReader(() => fileBytesMax, receive);
      socket.on('data', (chunk: Buffer) => {
        try {
          reader.push(chunk);
        } catch (fault) {
          socket.destroy();
          reject(fault instanceof Error ? fault : new Error(String(fault)));
        }
      });
      socket.on('error', (fault) => reject(isGreeted ? serverGone() : new NoServer(fault.message)));
      socket.on('close', () =>
        reject(isGreeted ? serverGone() : new NoServer('the server closed the connection')),
      );
    });
  }

  #checkGreeting({ protocolVersion, storeId }: ServerMessage & { kind: 'hello' }): void {
    if (protocolVersion !== operatorProtocolVersion) {
      throw new ServerFault('The running server is of another version of Burgee: use its own command line.');
    }
    if (storeId !== this.#storeId) {
      throw new ServerFault(
        'The server that answers in this directory holds another store: the directory was replaced while it ran. Restart it.',
      );
    }
  }

  /** In pieces, so that what has gone can be told, and no more than a piece waits in memory. */
  async #sendFile(socket: Socket): Promise<void> {
    const file = this.#file ?? new Uint8Array(0);
    const message: ClientMessage = { kind: 'file' };
    const [head = file] = encodeFrame(message, file);
    socket.write(head);
    for (let at = 0; at < file.length; at += chunkBytes) {
      await writeChunk(socket, file.subarray(at, at + chunkBytes));
      this.#onProgress?.('receive', Math.min(at + chunkBytes, file.length), file.length);
    }
  }
}

function write(socket: Socket, message: ClientMessage): void {
  for (const part of encodeFrame(message)) socket.write(part);
}

function writeChunk(socket: Socket, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(chunk, (fault) => (fault ? reject(serverGone()) : resolve()));
  });
}

function serverGone(): ServerFault {
  return new ServerFault(
    'The server ended before it answered. The change may have been applied: run the command again, it changes only what ' +
      'differs. Tokens that were made meanwhile show no secret any more: revoke them and apply again.',
  );
}
