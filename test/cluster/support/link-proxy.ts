import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Lifetime } from '../../support/lifetime.ts';

/**
 * What a link does with bytes. `stalled` keeps them and delivers them later; the others lose what comes while they last, as a
 * network does that is cut: neither side is told.
 */
export type LinkState = 'open' | 'stalled' | 'no-requests' | 'no-answers' | 'cut';

/** The network between a node and PostgreSQL: a port of its own on 127.0.0.1, which a test can slow down and cut. */
export class LinkProxy {
  /** Added to each piece of bytes, both ways, in milliseconds. */
  delayMs = 0;
  /** Once a request contains these bytes, no answers come. */
  silentAfter: string | null = null;
  #state: LinkState = 'open';
  readonly #target: () => number;
  readonly #server: Server;
  readonly #flows = new Set<Flow>();

  private constructor(target: () => number) {
    this.#target = target;
    this.#server = createServer((socket) => this.#join(socket));
  }

  /** @param target the port of PostgreSQL, asked for each connection */
  static async open(t: Lifetime, target: () => number): Promise<LinkProxy> {
    const proxy = new LinkProxy(target);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    t.teardown(() => {
      proxy.#server.close();
      proxy.reset();
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get state(): LinkState {
    return this.#state;
  }

  set state(state: LinkState) {
    this.#state = state;
    // What was lost on the way cannot be made good: such a connection stays silent until somebody gives it up.
    if (state === 'open') for (const flow of this.#flows) flow.deliver();
  }

  /** Ends all connections with a reset. */
  reset(): void {
    for (const flow of this.#flows) flow.end();
    this.#flows.clear();
  }

  #join(near: Socket): void {
    const far = connect({ host: '127.0.0.1', port: this.#target(), noDelay: true });
    near.setNoDelay(true);
    const request = new Flow(near, far, this, 'no-requests');
    const answer = new Flow(far, near, this, 'no-answers');
    this.#flows.add(request);
    this.#flows.add(answer);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#flows.delete(request);
        this.#flows.delete(answer);
        // The end of one side does not cross a link that is cut.
        if (this.#state === 'open') request.end();
      });
    }
  }
}

/** One direction of a connection. */
class Flow {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #held: Buffer[] = [];
  /** Bytes in the middle of a stream were lost: what follows them must not be delivered. */
  #isTorn = false;
  readonly #link: LinkProxy;

  constructor(from: Socket, to: Socket, link: LinkProxy, losing: LinkState) {
    this.#from = from;
    this.#to = to;
    this.#link = link;
    from.on('data', (piece: Buffer) => {
      if (losing === 'no-requests' && link.silentAfter !== null && piece.includes(link.silentAfter)) {
        link.silentAfter = null;
        link.state = 'no-answers';
      }
      if (link.state === 'cut' || link.state === losing) this.#isTorn = true;
      if (this.#isTorn) return;
      this.#held.push(piece);
      if (link.delayMs > 0) setTimeout(() => this.deliver(), link.delayMs);
      else this.deliver();
    });
  }

  deliver(): void {
    if (this.#link.state === 'stalled') return;
    for (const piece of this.#held.splice(0)) if (!this.#to.destroyed) this.#to.write(piece);
  }

  end(): void {
    this.#from.resetAndDestroy();
    this.#to.resetAndDestroy();
  }
}
