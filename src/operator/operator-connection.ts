import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { compileSchema } from '../contracts/compiled-schema.ts';
import { encodeFrame, type Frame, FrameReader } from './frame-codec.ts';
import type { Operator } from './operator.ts';
import { type ClientMessage, clientMessageSchema, fileBytesMax, operatorProtocolVersion, type ServerMessage } from './operator-protocol.ts';
import type { Turns } from './turns.ts';

const messageCheck = compileSchema(clientMessageSchema);

/** A client asks as soon as it is greeted: one that has not by then holds one of a few places for nothing. */
const askWithinMs = 3000;
/** Of the places for clients, those that files may have which are applied or wait for it: the others are for short commands. */
const appliesMax = 12;
/** A client that says nothing for so long, when it is its turn to, is gone; so is one that takes nothing of its answer. */
const silenceMaxMs = 30_000;
const tooManyApplies =
  `${appliesMax} files are being applied, or wait for it, one after another; nothing was changed. Run the command ` +
  'again when one of them is through.';
/** How long the end of the service waits for an answer to be taken. */
const finishTimeoutMs = 1500;

export interface OperatorConnectionOptions {
  readonly operator: Operator;
  readonly storeId: string;
  /** Files are applied one at a time. */
  readonly turns: Turns;
  /** How long a client may say nothing, or take nothing of its answer. */
  readonly silenceMs?: number;
}

/** The server's end of one connection: greets, takes one request, answers it and closes. A second request is refused. */
export class OperatorConnection {
  readonly #socket: Socket;
  readonly #options: OperatorConnectionOptions;
  readonly #abort = new AbortController();
  readonly #overdue: NodeJS.Timeout;
  #isAsked = false;
  #takeFile: ((file: Uint8Array) => void) | null = null;
  /** Of the request under way. */
  #done: Promise<void> = Promise.resolve();

  constructor(socket: Socket, options: OperatorConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Sixteen clients could announce a file each: one may, when it is its turn.
    const bodyBytesMax = (): number => (this.#takeFile === null ? 0 : fileBytesMax);
    const reader = new FrameReader(bodyBytesMax, (frame) => this.#receive(frame));
    this.#overdue = setTimeout(() => socket.destroy(), askWithinMs);
    socket.on('timeout', () => socket.destroy());
    this.#expectBytes();
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (fault) {
        this.#fail(fault);
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(this.#overdue);
      this.#abort.abort();
    });
    this.#send({ kind: 'hello', protocolVersion: operatorProtocolVersion, storeId: options.storeId });
  }

  /** The client is to send something, or to take its answer. */
  #expectBytes(): void {
    this.#socket.setTimeout(this.#options.silenceMs ?? silenceMaxMs);
  }

  /** The client only waits, for its turn or for the writer; a connection that is closed tells by itself. */
  #expectNothing(): void {
    this.#socket.setTimeout(0);
  }

  /** Gives up what is not being written yet, and waits for what is. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
    await this.#finishWriting();
    this.#socket.destroy();
  }

  /** An answer that is on its way may hold secrets that are never shown again: it has a while to arrive. */
  async #finishWriting(): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const finished = new Promise<boolean>((resolve) => {
      socket.once('close', () => resolve(true));
      socket.end(() => resolve(true));
    });
    const overdue = new AbortController();
    const timeout = wait(finishTimeoutMs, false, { signal: overdue.signal }).catch(() => false);
    await Promise.race([finished, timeout]);
    overdue.abort();
  }

  #receive({ header, body }: Frame): void {
    if (!messageCheck.isRight(header)) {
      this.#fail(new Error('this server does not know that request'));
      return;
    }
    const message = header;
    if (message.kind === 'file') {
      this.#takeFile?.(body);
      this.#takeFile = null;
      return;
    }
    if (this.#isAsked) {
      this.#fail(new Error('a connection carries one request, and this one has had it: open another one'));
      return;
    }
    this.#isAsked = true;
    clearTimeout(this.#overdue);
    this.#expectNothing();
    this.#done = this.#serve(message).catch((fault: unknown) => this.#fail(fault));
  }

  async #serve(message: Exclude<ClientMessage, { kind: 'file' }>): Promise<void> {
    const { operator, storeId, turns } = this.#options;
    if (message.storeId !== storeId) throw new Error('this server holds another store; nothing was changed');
    switch (message.kind) {
      case 'apply':
        if (turns.asked >= appliesMax) throw new Error(tooManyApplies);
        return turns.take(() => this.#apply());
      case 'set-plan':
        return this.#finish({ kind: 'plan-set', outcome: await operator.setPlan(message.args) });
      case 'make-sign-in-link':
        return this.#finish({
          kind: 'sign-in-link-made',
          outcome: await operator.makeSignInLink(message.args),
        });
      case 'revoke-token':
        return this.#finish({ kind: 'token-revoked', outcome: await operator.revokeToken(message.args) });
    }
  }

  async #apply(): Promise<void> {
    const file = await this.#receiveFile();
    this.#expectNothing();
    const outcome = await this.#options.operator.apply(
      file,
      (phase, done, total) => this.#send({ kind: 'progress', phase, done, total }),
      this.#abort.signal,
    );
    if (!outcome.ok) {
      const { problems, problemCount } = outcome;
      return this.#finish({ kind: 'refused', problems, problemCount });
    }
    const { warnings, counts, document } = outcome;
    this.#finish({ kind: 'applied', warnings, counts }, document);
  }

  #receiveFile(): Promise<Uint8Array> {
    const { signal } = this.#abort;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(new Error('the client has gone')), { once: true });
      this.#takeFile = resolve;
      this.#expectBytes();
      this.#send({ kind: 'ready-for-file' });
    });
  }

  #send(message: ServerMessage, body?: Uint8Array): void {
    if (!this.#socket.writable) return;
    for (const part of encodeFrame(message, body)) this.#socket.write(part);
  }

  #finish(message: ServerMessage, body?: Uint8Array): void {
    this.#send(message, body);
    this.#expectBytes();
    this.#socket.end();
  }

  #fail(fault: unknown): void {
    this.#finish({ kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) });
  }
}
