import { widestNetwork } from '../../support/address-networks.ts';
import { assert } from '../../support/assert.ts';

/** The share of a worker's part of a pool that one client may have. */
const clientShare = 0.25;

/** The client that sends a request: a token or a member, or an address if there is neither. */
export interface Client {
  readonly id: string;
  readonly hasCredential: boolean;
}

/** @param id of a token or a member */
export function credentialClient(id: string): Client {
  return { id, hasCredential: true };
}

/** @param limitKey of an address. An IPv6 /48 is one client */
export function addressClient(limitKey: string): Client {
  return { id: widestNetwork(limitKey), hasCredential: false };
}

/** @param id of a token or a member; null: the request has none that is valid */
export function clientOf(id: string | null, limitKey: string): Client {
  return id === null ? addressClient(limitKey) : credentialClient(id);
}

export interface PoolOptions {
  /** A client may always have this much, even if a quarter is less: as much as one request can need. By default 1. */
  readonly least?: number;
  /** All clients are of one kind, so each half is the whole. */
  readonly isUndivided?: boolean;
  /** Receives the amount in use whenever it changes. */
  onChange?(used: number): void;
  /** An address was refused because it has its whole quota. */
  onAddressFull?(address: string): void;
}

/**
 * A fixed amount of something that requests use: slots of requests in flight, or bytes of bodies. The process' amount
 * is split evenly over its workers, so workers need no shared count. One half of a worker's part is for requests with a
 * credential, the other for requests without: however many anonymous clients there are, members and tokens are served.
 */
export class Pool {
  readonly #withCredential: Part;
  readonly #anonymous: Part;
  readonly #options: PoolOptions;

  /** @param amount of the process */
  constructor(amount: number, workers: number, options: PoolOptions = {}) {
    const { least = 1, isUndivided = false } = options;
    // A service with many workers has somewhat more than `amount`, so that each of them can serve one request.
    const part = amount === 0 ? 0 : Math.max(least, Math.floor(amount / workers / (isUndivided ? 1 : 2)));
    const clientMax = Math.min(part, Math.max(least, Math.floor(part * clientShare)));
    this.#withCredential = new Part(part, clientMax);
    this.#anonymous = new Part(part, clientMax);
    this.#options = options;
  }

  get used(): number {
    return this.#withCredential.used + this.#anonymous.used;
  }

  /** What a request takes is counted for its client. @param client null: the many clients behind a declared proxy */
  quotaOf(client: Client | null): Quota {
    return new Quota(this, client);
  }

  take(client: Client | null, amount: number): boolean {
    assert(amount >= 0, 'an amount taken from a pool is not negative');
    const part = this.#partOf(client);
    if (!part.take(client?.id ?? null, amount)) {
      if (client?.hasCredential === false && part.hasRoom(amount)) this.#options.onAddressFull?.(client.id);
      return false;
    }
    this.#changed();
    return true;
  }

  give(client: Client | null, amount: number): void {
    this.#partOf(client).give(client?.id ?? null, amount);
    this.#changed();
  }

  #partOf(client: Client | null): Part {
    return client?.hasCredential === true ? this.#withCredential : this.#anonymous;
  }

  #changed(): void {
    this.#options.onChange?.(this.used);
  }
}

/** One of the two halves of a worker's part. */
class Part {
  readonly #max: number;
  readonly #clientMax: number;
  readonly #usedBy = new Map<string, number>();
  used = 0;

  constructor(max: number, clientMax: number) {
    this.#max = max;
    this.#clientMax = clientMax;
  }

  hasRoom(amount: number): boolean {
    return this.used + amount <= this.#max;
  }

  take(client: string | null, amount: number): boolean {
    if (!this.hasRoom(amount)) return false;
    if (client !== null) {
      const used = (this.#usedBy.get(client) ?? 0) + amount;
      if (used > this.#clientMax) return false;
      this.#usedBy.set(client, used);
    }
    this.used += amount;
    return true;
  }

  give(client: string | null, amount: number): void {
    this.used -= amount;
    assert(this.used >= 0, 'a pool gets back no more than was taken');
    if (client === null) return;
    const used = (this.#usedBy.get(client) ?? 0) - amount;
    assert(used >= 0, 'a client gives back no more than it has taken');
    if (used > 0) this.#usedBy.set(client, used);
    else this.#usedBy.delete(client);
  }
}

/** What one request uses of a pool. */
export class Quota {
  readonly #pool: Pool;
  readonly #client: Client | null;
  used = 0;

  constructor(pool: Pool, client: Client | null) {
    this.#pool = pool;
    this.#client = client;
  }

  /** @returns whether the client may have this much more, and that much is free */
  take(amount: number): boolean {
    if (!this.#pool.take(this.#client, amount)) return false;
    this.used += amount;
    return true;
  }

  give(amount: number): void {
    this.used -= amount;
    this.#pool.give(this.#client, amount);
  }

  /** Gives back everything; a second call has no effect. */
  end(): void {
    if (this.used > 0) this.give(this.used);
  }
}
