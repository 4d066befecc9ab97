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

  /** The newest request of one of the addresses with the most loses its place, if that has so many. @returns whether it did */
  giveOneUp(atLeast: number): boolean {
    let longest: Begin[] = [];
    let address = '';
    for (const [each, line] of this.#lines) {
      // Of several, the one whose turn is last.
      if (line.length >= longest.length) [address, longest] = [each, line];
    }
    return longest.length >= atLeast && this.#cut(address);
  }

  /** A request of the address that was remembered last loses its place, if that was later. @returns whether it did */
  giveUpLaterThan(turn: number, turns: ReadonlyMap<string, number>): boolean {
    let [latest, address] = [turn, ''];
    for (const each of this.#lines.keys()) {
      const own = turns.get(each) ?? 0;
      if (own > latest) [latest, address] = [own, each];
    }
    return this.#cut(address);
  }

  #cut(address: string): boolean {
    const begin = this.#lines.get(address)?.at(-1);
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
 * Those that wait. Known addresses have a line of their own, which takes turns with that of strangers, so that strangers
 * at any number of addresses delay them by a few hashes only. Where all places are taken, the line that has more than half
 * gives one up for the other, and within a line the address with the most for one with fewer; of known addresses also the
 * one that signed in last for one that did so before.
 */
class WaitingRoom {
  readonly #known = new WaitingLine();
  readonly #strangers = new WaitingLine();
  /** Known addresses with the number of their last right password. The first is the one that was seen longest ago. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #isStrangersTurn = false;

  remember(address: string): void {
    this.#turn += 1;
    this.#turns.delete(address);
    this.#turns.set(address, this.#turn);
    const [oldest = ''] = this.#turns.keys();
    if (this.#turns.size > knownMax) this.#turns.delete(oldest);
  }

  /** @returns how to leave, before the turn has come; null: there is no place */
  join(address: string, begin: Begin): (() => void) | null {
    const isKnown = this.#turns.has(address);
    const [line, other] = isKnown ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    if (line.count + other.count >= waitingMax && !this.#makeRoom(address, line, other)) return null;
    line.join(address, begin);
    return () => line.leave(address, begin);
  }

  /** @returns whether a request of one of the lines has given its place up for one of the address */
  #makeRoom(address: string, line: WaitingLine, other: WaitingLine): boolean {
    if (line.count < waitingMax / 2) return other.giveOneUp(1);
    if (line.giveOneUp(line.of(address) + 2)) return true;
    const turn = this.#turns.get(address);
    return turn !== undefined && line.giveUpLaterThan(turn, this.#turns);
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
 * requests only. Known addresses, from which a right password came to this process, or a password of somebody with a
 * session or a link, do not wait behind strangers.
 */
export class PasswordDesk implements PasswordPort {
  readonly #hashing: PasswordHashing;
  readonly #longestWaitMs: number;
  readonly #waiting = new WaitingRoom();
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
    // Who sets a password has shown a session or a link.
    this.#waiting.remember(widestNetwork(limitKey));
    return this.#take(limitKey, () => this.#hashing.hash(password));
  }

  async #isRight(limitKey: string, passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.#hashing.isRight(passwordHash ?? decoyHash, password);
    if (isRight && passwordHash !== null) this.#waiting.remember(widestNetwork(limitKey));
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
      const leave = this.#waiting.join(address, begin);
      const timer = setTimeout(() => {
        leave?.();
        resolve(false);
      }, this.#longestWaitMs).unref();
      if (leave === null) begin(false);
    });
  }
}
