import type { MessagePort, TransferListItem } from 'node:worker_threads';

/** A map from the name of a call to its arguments and result. */
type CallMap<Calls> = {
  readonly [Name in keyof Calls]: { readonly args: unknown; readonly result: unknown };
};

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: unknown };

/** The handlers of the other side's calls. A name without a handler does not compile. */
export type CallHandlers<Calls extends CallMap<Calls>> = {
  readonly [Name in keyof Calls]: (
    args: Calls[Name]['args'],
  ) => Calls[Name]['result'] | Promise<Calls[Name]['result']>;
};

/** The other side closed the port: the outcome of the call is unknown. */
export class PortClosedError extends Error {
  constructor() {
    super('the thread that was asked has ended');
  }
}

/**
 * Calls in both directions over one port: `Asked` of the other side, `Served` of this one. The caller bounds its calls
 * in flight.
 */
export class PortCalls<Asked extends CallMap<Asked>, Served extends CallMap<Served>> {
  readonly #port: MessagePort;
  readonly #handlers: CallHandlers<Served>;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(fault: Error): void }>();
  #nextId = 1;
  #isClosed = false;

  constructor(port: MessagePort, handlers: CallHandlers<Served>) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (message: Message) => this.#receive(message));
    port.on('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.values()) reject(new PortClosedError());
      this.#waiting.clear();
    });
  }

  /**
   * @param transfer memory that is handed over instead of copied
   * @throws what the other side threw, as a plain Error with its message and stack; PortClosedError
   */
  ask<Name extends keyof Asked & string>(
    name: Name,
    args: Asked[Name]['args'],
    transfer: readonly TransferListItem[] = [],
  ): Promise<Asked[Name]['result']> {
    if (this.#isClosed) return Promise.reject(new PortClosedError());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // The other side answers a call with the result of its own name: see `CallHandlers`.
      const settle = (result: unknown): void => resolve(result as Asked[Name]['result']);
      this.#waiting.set(id, { resolve: settle, reject });
      this.#post({ kind: 'call', id, name, args }, transfer);
    });
  }

  #receive(message: Message): void {
    if (message.kind === 'call') {
      void this.#serve(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message.result);
    else waiting?.reject(message.fault instanceof Error ? message.fault : new Error(String(message.fault)));
  }

  async #serve({ id, name, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      this.#post({ kind: 'done', id, result: await this.#handlers[name as keyof Served](args as never) });
    } catch (fault) {
      // Cloned with its message, stack and cause.
      this.#post({ kind: 'failed', id, fault });
    }
  }

  #post(message: Message, transfer: readonly TransferListItem[] = []): void {
    if (!this.#isClosed) this.#port.postMessage(message, transfer);
  }

  close(): void {
    this.#port.close();
  }
}
