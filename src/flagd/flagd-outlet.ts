import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Outlet, StreamEnd } from '../streams/stream.ts';
import { credentialClient, Pool, type Quota } from '../worker/limits/quota.ts';
import { messageBytesMax } from './flagd-events.ts';
import type { EncodedMessage, FlagsRequest } from './sync-messages.ts';

export type FlagdCall = ServerWritableStream<FlagsRequest, EncodedMessage>;

/** The most bytes of configurations that are being sent. grpc-js copies a configuration for each client. */
const unsentBytesMax = 64 * 1024 * 1024;
/** Waiting streams of an account that try again when a client has taken its configuration. */
const retriedAtOnce = 8;

/** Bounds the bytes that are being sent to all clients. Streams beyond the bound wait in a queue of their account. */
export class UnsentBytes {
  readonly #bytes = new Pool(unsentBytesMax, 1, { isUndivided: true, least: messageBytesMax + 1024 });
  readonly #waiting = new Map<string, Map<object, () => void>>();

  get used(): number {
    return this.#bytes.used;
  }

  holdOf(account: string): Quota {
    return this.#bytes.quotaOf(credentialClient(account));
  }

  /** @param retry called when bytes may have become free */
  wait(account: string, waiter: object, retry: () => void): void {
    const waiters = this.#waiting.get(account) ?? new Map<object, () => void>();
    this.#waiting.set(account, waiters.set(waiter, retry));
  }

  release(account: string, waiter: object, hold: Quota): void {
    this.#waiting.get(account)?.delete(waiter);
    hold.end();
    for (const [waitingAccount, waiters] of [...this.#waiting]) this.#retry(waitingAccount, waiters);
  }

  #retry(account: string, waiters: Map<object, () => void>): void {
    for (const [waiter, retry] of [...waiters].slice(0, retriedAtOnce)) {
      waiters.delete(waiter);
      retry();
    }
    if (waiters.size === 0) this.#waiting.delete(account);
  }
}

export interface FlagdOutletOptions {
  readonly call: FlagdCall;
  /** The call is a request for all flags, and ends after one configuration. */
  readonly isOnce: boolean;
  readonly unsent: UnsentBytes;
  /** The account whose quota the bytes count against. */
  readonly account: string;
  /** Ends the call with a status of gRPC. */
  readonly refuse: (call: FlagdCall, reason: Exclude<StreamEnd, 'slow'>) => void;
  /** Closes the connection and all of its calls. A provider has one stream. */
  readonly cutConnection: (peer: string) => void;
}

/** The client of a gRPC call. It is sent one configuration at a time. */
export class FlagdOutlet implements Outlet {
  readonly chunkBytes = Number.POSITIVE_INFINITY;
  readonly #options: FlagdOutletOptions;
  readonly #hold: Quota;
  #onTaken: () => void = () => undefined;
  #isEnding = false;
  isOver = false;

  constructor(options: FlagdOutletOptions) {
    this.#options = options;
    this.#hold = options.unsent.holdOf(options.account);
    const close = (): void => {
      this.isOver = true;
      options.unsent.release(options.account, this, this.#hold);
    };
    options.call.once('cancelled', close).once('close', close);
  }

  reserve(bytes: number): boolean {
    if (this.#hold.take(bytes)) return true;
    const { unsent, account } = this.#options;
    unsent.wait(account, this, this.#onTaken);
    return false;
  }

  write(message: Uint8Array): boolean {
    const { call, unsent, isOnce, account } = this.#options;
    call.write(message as EncodedMessage, () => {
      unsent.release(account, this, this.#hold);
      if (this.isOver || this.#isEnding) return;
      if (isOnce) call.end();
      else this.#onTaken();
    });
    return false;
  }

  onTaken(listener: () => void): void {
    this.#onTaken = listener;
  }

  onGone(listener: () => void): void {
    this.#options.call.once('cancelled', listener).once('close', listener);
  }

  end(reason: StreamEnd): void {
    this.#isEnding = true;
    const { call, refuse, cutConnection } = this.#options;
    if (reason === 'slow') cutConnection(call.getPeer());
    else refuse(call, reason);
  }

  cut(reason: StreamEnd): void {
    this.end(reason);
  }
}
