import type { PasswordPort } from '../operations/conversation.ts';
import { widestNetwork } from '../support/address-networks.ts';
import { assert } from '../support/assert.ts';
import { decoyHash } from '../support/password-hash.ts';

/** Hashes at once. Each takes 19 MiB and some tens of milliseconds of a core. */
export const hashesAtOnce = 2;
/** Most requests that wait for a place: a few seconds of work, where the processor is free. */
const waitingMax = 32;
/**
 * The longest wait for a place. Threads of low priority get a tenth of a busy processor, so the same work may take
 * minutes: people and proxies have gone by then.
 */
const waitMsMax = 10_000;

/** Where the work is done. */
export interface PasswordHashing {
  /** @returns a PHC string */
  hash(password: string): Promise<string>;
  /** @param passwordHash a PHC string; for any other text the answer is false */
  isRight(passwordHash: string, password: string): Promise<boolean>;
}

/** A request that waits. Called with false when it lost its place to another address. */
type Begin = (mayWork: boolean) => void;

/**
 * Those that wait, by address, or the network around an IPv6 one: addresses take turns. When all places are taken, the
 * address with the most gives one up for an address with fewer.
 */
class WaitingLine {
  /** The first address is the next one. */
  readonly #lines = new Map<string, Begin[]>();
  #count = 0;

  /** @returns whether there is a place */
  join(address: string, begin: Begin): boolean {
    const own = this.#lines.get(address) ?? [];
    if (this.#count >= waitingMax && !this.#makeRoom(own.length)) return false;
    own.push(begin);
    this.#lines.set(address, own);
    this.#count += 1;
    return true;
  }

  /** The newest request of the address with the most goes, if it has two more than the asking one. */
  #makeRoom(held: number): boolean {
    let longest: Begin[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length < held + 2) return false;
    this.#count -= 1;
    longest.pop()?.(false);
    return true;
  }

  /** The request waits no more. */
  leave(address: string, begin: Begin): void {
    const own = this.#lines.get(address) ?? [];
    assert(own.includes(begin), 'a request that leaves has waited');
    const others = own.filter((other) => other !== begin);
    if (others.length > 0) this.#lines.set(address, others);
    else this.#lines.delete(address);
    this.#count -= 1;
  }

  /** @returns the next request, of the next address */
  next(): Begin | undefined {
    for (const [address, line] of this.#lines) {
      const begin = line.shift();
      this.#lines.delete(address);
      if (line.length > 0) this.#lines.set(address, line);
      this.#count -= 1;
      return begin;
    }
    return undefined;
  }
}

/**
 * Makes and checks password hashes, a few at a time in the whole process. When too many requests wait, or one has waited
 * too long, the answer is `busy`. Addresses take turns, so one that asks for much makes others wait for one of its requests only.
 */
export class PasswordDesk implements PasswordPort {
  readonly #hashing: PasswordHashing;
  readonly #longestWaitMs: number;
  readonly #waiting = new WaitingLine();
  #underWay = 0;

  constructor(hashing: PasswordHashing, longestWaitMs = waitMsMax) {
    this.#hashing = hashing;
    this.#longestWaitMs = longestWaitMs;
  }

  async check(limitKey: string, passwordHash: string | null, password: string): Promise<boolean | 'busy'> {
    return this.#take(limitKey, () => this.#isRight(passwordHash, password));
  }

  async checkEach(
    limitKey: string,
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'> {
    return this.#take(limitKey, async () => {
      const right: boolean[] = [];
      for (const passwordHash of passwordHashes) right.push(await this.#isRight(passwordHash, password));
      return right;
    });
  }

  async hash(limitKey: string, password: string): Promise<string | 'busy'> {
    return this.#take(limitKey, () => this.#hashing.hash(password));
  }

  async #isRight(passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.#hashing.isRight(passwordHash ?? decoyHash, password);
    return isRight && passwordHash !== null;
  }

  async #take<T>(limitKey: string, work: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#underWay < hashesAtOnce) this.#underWay += 1;
    else if (!(await this.#wait(widestNetwork(limitKey)))) return 'busy';
    try {
      return await work();
    } finally {
      const next = this.#waiting.next();
      if (next === undefined) this.#underWay -= 1;
      else next(true);
    }
  }

  #wait(address: string): Promise<boolean> {
    return new Promise((resolve) => {
      const begin: Begin = (mayWork) => {
        clearTimeout(timer);
        resolve(mayWork);
      };
      const timer = setTimeout(() => {
        this.#waiting.leave(address, begin);
        resolve(false);
      }, this.#longestWaitMs).unref();
      if (!this.#waiting.join(address, begin)) begin(false);
    });
  }
}
