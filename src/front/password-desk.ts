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

/** Addresses that are remembered: more than the members of most installs have. */
const knownMax = 4096;

/** Where the work is done. */
export interface PasswordHashing {
  /** @returns a PHC string */
  hash(password: string): Promise<string>;
  /** @param passwordHash a PHC string; for any other text the answer is false */
  isRight(passwordHash: string, password: string): Promise<boolean>;
}

/** A request that waits. Called with false when it lost its place to another address. */
type Begin = (mayWork: boolean) => void;

/** Those that wait, by address, or the network around an IPv6 one: addresses take turns. */
class WaitingLine {
  /** The first address is the next one. */
  readonly #lines = new Map<string, Begin[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @returns how many requests of the address wait */
  of(address: string): number {
    return this.#lines.get(address)?.length ?? 0;
  }

  join(address: string, begin: Begin): void {
    const own = this.#lines.get(address) ?? [];
    own.push(begin);
    this.#lines.set(address, own);
    this.#count += 1;
  }

  /** The newest request of the address with the most loses its place, if that has so many. @returns whether it did */
  giveOneUp(atLeast: number): boolean {
    let longest: Begin[] = [];
    let address = '';
    for (const [each, line] of this.#lines) {
      if (line.length > longest.length) [address, longest] = [each, line];
    }
    const begin = longest.length < atLeast ? undefined : longest.at(-1);
    if (begin === undefined) return false;
    this.leave(address, begin);
    begin(false);
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
 * Those that wait. Addresses from which somebody has signed in have a line of their own, which takes turns with that of
 * strangers, so that strangers at any number of addresses delay them by a few hashes only. Where all places are taken,
 * a stranger gives one up for such an address, and in each line the address with the most for one with fewer.
 */
class WaitingRoom {
  readonly #known = new WaitingLine();
  readonly #strangers = new WaitingLine();
  #isStrangersTurn = false;

  /** @returns how to leave, before the turn has come; null: there is no place */
  join(address: string, isKnown: boolean, begin: Begin): (() => void) | null {
    const line = isKnown ? this.#known : this.#strangers;
    const isFull = this.#known.count + this.#strangers.count >= waitingMax;
    if (isFull && !(isKnown && this.#strangers.giveOneUp(1)) && !line.giveOneUp(line.of(address) + 2))
      return null;
    line.join(address, begin);
    return () => line.leave(address, begin);
  }

  next(): Begin | undefined {
    this.#isStrangersTurn = !this.#isStrangersTurn;
    const [first, second] = this.#isStrangersTurn
      ? [this.#strangers, this.#known]
      : [this.#known, this.#strangers];
    return first.next() ?? second.next();
  }
}

/**
 * Makes and checks password hashes, a few at a time in the whole process. When too many requests wait, or one has waited
 * too long, the answer is `busy`. Addresses take turns, so one that asks for much makes others wait for one of its
 * requests only; those from which a right password came lately do not wait behind strangers.
 */
export class PasswordDesk implements PasswordPort {
  readonly #hashing: PasswordHashing;
  readonly #longestWaitMs: number;
  readonly #waiting = new WaitingRoom();
  /** Addresses of right passwords. The first is the one that was seen longest ago. */
  readonly #known = new Set<string>();
  #underWay = 0;

  constructor(hashing: PasswordHashing, longestWaitMs = waitMsMax) {
    this.#hashing = hashing;
    this.#longestWaitMs = longestWaitMs;
  }

  async check(limitKey: string, passwordHash: string | null, password: string): Promise<boolean | 'busy'> {
    return this.#take(limitKey, () => this.#isRight(limitKey, passwordHash, password));
  }

  async checkEach(
    limitKey: string,
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'> {
    return this.#take(limitKey, async () => {
      const right: boolean[] = [];
      for (const passwordHash of passwordHashes) {
        right.push(await this.#isRight(limitKey, passwordHash, password));
      }
      return right;
    });
  }

  async hash(limitKey: string, password: string): Promise<string | 'busy'> {
    return this.#take(limitKey, () => this.#hashing.hash(password));
  }

  async #isRight(limitKey: string, passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.#hashing.isRight(passwordHash ?? decoyHash, password);
    if (isRight && passwordHash !== null) this.#remember(widestNetwork(limitKey));
    return isRight && passwordHash !== null;
  }

  #remember(address: string): void {
    this.#known.delete(address);
    this.#known.add(address);
    const [oldest = ''] = this.#known;
    if (this.#known.size > knownMax) this.#known.delete(oldest);
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
      const leave = this.#waiting.join(address, this.#known.has(address), begin);
      const timer = setTimeout(() => {
        leave?.();
        resolve(false);
      }, this.#longestWaitMs).unref();
      if (leave === null) begin(false);
    });
  }
}
