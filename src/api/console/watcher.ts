import type { Exchange } from '../../http/exchange.ts';

const encoder = new TextEncoder();
/** A comment: it keeps the connection from looking idle to whatever lies between. */
const heartbeat = encoder.encode(':\n\n');

/** One open page: a response that never ends by itself. What it has not taken is bounded by never writing past it. */
export class Watcher {
  readonly #exchange: Exchange;
  /** The client's socket has not taken what was written last. */
  #isBehind = false;

  /** The exchange has begun. */
  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onWritable(() => {
      this.#isBehind = false;
    });
  }

  get isOver(): boolean {
    return this.#exchange.isOver;
  }

  /** Tells the page, or cuts it off when it has not even read what it was told before: it comes back and looks afresh. */
  tell(event: string, data: unknown): void {
    this.#write(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  beat(): void {
    this.#write(heartbeat);
  }

  end(): void {
    this.#exchange.end();
  }

  #write(bytes: Uint8Array): void {
    if (this.#isBehind) this.#exchange.cut();
    else this.#isBehind = !this.#exchange.write(bytes);
  }
}
