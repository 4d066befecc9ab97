import type { PasswordCaller, PasswordPort } from '../operations/conversation.ts';
import { widestNetwork } from '../support/address-networks.ts';
import { decoyHash } from '../support/password-hash.ts';

/** Hashes at once. Each takes 19 MiB and some tens of milliseconds of a core. */
export const hashesAtOnce = 2;
/** The most requests that wait in a lane: a few seconds of work, where the processor is free. */
const waitingMax = 32;
/** The most of these for one address, and for one account. */
const waitingOfClientMax = 8;
/**
 * The longest time that a request waits. Threads of low priority get a tenth of a busy processor, so the same work may
 * take minutes: people and proxies have given up by then.
 */
const waitMsMax = 10_000;

/** Where the work is done. */
export interface PasswordHashing {
  /** @returns a PHC string */
  hash(password: string): Promise<string>;
  /** @param passwordHash a PHC string; for any other text the answer is false */
  isRight(passwordHash: string, password: string): Promise<boolean>;
}

interface Waiter {
  readonly network: string;
  readonly account: string;
  begin(mayWork: boolean): void;
}

/** Requests that wait, in the order of arrival. */
class Lane {
  readonly #waiters = new Set<Waiter>();

  /** @returns whether there is room for it */
  join(waiter: Waiter): boolean {
    let [ofAddress, ofAccount] = [0, 0];
    for (const { network, account } of this.#waiters) {
      if (network === waiter.network) ofAddress += 1;
      if (account === waiter.account) ofAccount += 1;
    }
    const isFull = this.#waiters.size >= waitingMax;
    if (isFull || ofAddress >= waitingOfClientMax || ofAccount >= waitingOfClientMax) return false;
    this.#waiters.add(waiter);
    return true;
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
  }

  next(): Waiter | undefined {
    const [first] = this.#waiters;
    if (first !== undefined) this.#waiters.delete(first);
    return first;
  }
}

/**
 * Makes and checks password hashes, a few at a time in the whole process. When too many requests wait, or one has waited
 * too long, the answer is `busy`. Addresses that have a live session of the account, or a link, wait in a lane of their
 * own, and the lanes are served round robin: an attack on sign-in does not keep members out who have signed in before.
 */
export class PasswordQueue implements PasswordPort {
  readonly #hashing: PasswordHashing;
  readonly #longestWaitMs: number;
  readonly #lanes = { known: new Lane(), others: new Lane() };
  #isKnownNext = true;
  #underWay = 0;

  constructor(hashing: PasswordHashing, longestWaitMs = waitMsMax) {
    this.#hashing = hashing;
    this.#longestWaitMs = longestWaitMs;
  }

  async check(
    caller: PasswordCaller,
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'> {
    return this.#run(caller, async () => {
      const right: boolean[] = [];
      for (const each of passwordHashes) {
        const isRight = await this.#hashing.isRight(each ?? decoyHash, password);
        right.push(each !== null && isRight);
      }
      return right;
    });
  }

  async hash(caller: PasswordCaller, password: string): Promise<string | 'busy'> {
    return this.#run(caller, () => this.#hashing.hash(password));
  }

  async #run<T>(caller: PasswordCaller, work: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#underWay < hashesAtOnce) this.#underWay += 1;
    else if (!(await this.#wait(caller))) return 'busy';
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#underWay -= 1;
      else next.begin(true);
    }
  }

  #next(): Waiter | undefined {
    const { known, others } = this.#lanes;
    const [first, second] = this.#isKnownNext ? [known, others] : [others, known];
    this.#isKnownNext = !this.#isKnownNext;
    return first.next() ?? second.next();
  }

  #wait({ limitKey, account, isKnown }: PasswordCaller): Promise<boolean> {
    const lane = isKnown ? this.#lanes.known : this.#lanes.others;
    return new Promise((resolve) => {
      const begin = (mayWork: boolean): void => {
        clearTimeout(timer);
        resolve(mayWork);
      };
      const waiter: Waiter = { network: widestNetwork(limitKey), account, begin };
      const timer = setTimeout(() => {
        lane.leave(waiter);
        resolve(false);
      }, this.#longestWaitMs).unref();
      if (!lane.join(waiter)) begin(false);
    });
  }
}
