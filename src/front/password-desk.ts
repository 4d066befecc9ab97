import type { StoredPassword } from '../domain/session/password.ts';
import { accountOfLinks, type PasswordPort } from '../operations/conversation.ts';
import { widestNetwork } from '../support/address-networks.ts';
import { assert } from '../support/assert.ts';
import { HeldPlaces } from '../support/fair-share.ts';
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
/** Of one account: so that no organisation turns the members of others into strangers. */
const knownOfAccountMax = 1024;

/** Where the work is done. */
export interface PasswordHashing {
  /** @returns a PHC string */
  hash(password: string): Promise<string>;
  /** @param passwordHash a PHC string; for any other text the answer is false */
  isRight(passwordHash: string, password: string): Promise<boolean>;
}

/** A request that waits. Called with false when it lost its place to another address. */
type Begin = (mayWork: boolean) => void;

/** Those that wait of one account, or of all strangers, by address or the IPv6 network around it: addresses take turns. */
class WaitingLine {
  readonly accountId: string;
  /** The first address is the next one. */
  readonly #lines = new Map<string, Begin[]>();
  #count = 0;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

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
    const begin = longest.at(-1);
    if (begin === undefined || longest.length < atLeast) return false;
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

/** All strangers are one, beside the accounts. */
const strangers = '';

/**
 * Those that wait. Each account with known addresses has a line, and all strangers have one together. The lines take turns,
 * so that whatever waits in one delays the others by a few hashes only. Where all places are taken, the longest line gives
 * one up for another, and within a line the address with the most for one with fewer.
 */
class WaitingRoom {
  /** By account; the first is the next one. A line in which nobody waits is taken away. */
  readonly #lines = new Map<string, WaitingLine>();
  /** The accounts of known addresses. The first address is the one that was seen longest ago. */
  readonly #accounts = new Map<string, string>();
  /** Known addresses of each account. */
  readonly #known = new HeldPlaces();
  #count = 0;

  remember(address: string, accountId: string): void {
    // Whoever follows a link may be any tenant's: others at the address keep their account.
    if (accountId === accountOfLinks && this.#accounts.has(address)) return;
    this.#forget(address);
    this.#accounts.set(address, accountId);
    this.#known.take(accountId);
    if (this.#known.of(accountId) > knownOfAccountMax) this.#forget(this.#oldestOf(accountId));
    else if (this.#known.size > knownMax) this.#forget(this.#oldestOf(null));
  }

  #forget(address: string): void {
    const accountId = this.#accounts.get(address);
    if (accountId === undefined) return;
    this.#accounts.delete(address);
    this.#known.give(accountId);
  }

  /** @param accountId null: of any account */
  #oldestOf(accountId: string | null): string {
    for (const [address, each] of this.#accounts)
      if (accountId === null || each === accountId) return address;
    return '';
  }

  /** @returns how to leave, before the turn has come; null: there is no place */
  join(address: string, begin: Begin): (() => void) | null {
    const accountId = this.#accounts.get(address) ?? strangers;
    if (this.#count >= waitingMax && !this.#makeRoom(address, accountId)) return null;
    const line = this.#lines.get(accountId) ?? new WaitingLine(accountId);
    this.#lines.set(accountId, line);
    line.join(address, begin);
    this.#count += 1;
    return () => {
      line.leave(address, begin);
      this.#hasLeft(line);
    };
  }

  /** @returns whether a request has given its place up for one of the address */
  #makeRoom(address: string, accountId: string): boolean {
    const own = this.#lines.get(accountId) ?? new WaitingLine(accountId);
    let longest = own;
    for (const line of this.#lines.values()) if (line.count > longest.count) longest = line;
    // Two more, within a line too: otherwise each of two would take the place from the other.
    const isOthers = longest.count >= own.count + 2;
    const giving = isOthers ? longest : own;
    if (!giving.giveOneUp(isOthers ? 1 : own.of(address) + 2)) return false;
    this.#hasLeft(giving);
    return true;
  }

  #hasLeft(line: WaitingLine): void {
    this.#count -= 1;
    if (line.count === 0) this.#lines.delete(line.accountId);
  }

  next(): Begin | undefined {
    for (const [accountId, line] of this.#lines) {
      const begin = line.next();
      this.#lines.delete(accountId);
      this.#lines.set(accountId, line);
      this.#hasLeft(line);
      return begin;
    }
    return undefined;
  }
}

/**
 * Makes and checks password hashes, a few at a time in the whole process. When too many requests wait, or one has waited
 * too long, the answer is `busy`. Addresses take turns, so one that asks for much makes others wait for one of its
 * requests only. Known addresses, from which a right password came to this process, or a password of somebody with a
 * session or a link, take their turns by account: no account waits behind strangers, or behind another one.
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

  async check(limitKey: string, stored: StoredPassword | null, password: string): Promise<boolean | 'busy'> {
    return this.#take(limitKey, () => this.#isRight(limitKey, stored, password));
  }

  async checkEach(
    limitKey: string,
    stored: readonly (StoredPassword | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'> {
    return this.#take(limitKey, async () => {
      const right: boolean[] = [];
      for (const each of stored) right.push(await this.#isRight(limitKey, each, password));
      return right;
    });
  }

  async hash(limitKey: string, accountId: string, password: string): Promise<string | 'busy'> {
    this.#waiting.remember(widestNetwork(limitKey), accountId);
    return this.#take(limitKey, () => this.#hashing.hash(password));
  }

  async #isRight(limitKey: string, stored: StoredPassword | null, password: string): Promise<boolean> {
    const isRight = await this.#hashing.isRight(stored?.passwordHash ?? decoyHash, password);
    if (!isRight || stored === null) return false;
    this.#waiting.remember(widestNetwork(limitKey), stored.accountId);
    return true;
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
