import type { PasswordPort } from '../operations/conversation.ts';
import { decoyHash, hashPassword, isPasswordOf } from '../support/password-hash.ts';

/** Each takes 19 MiB and some tens of milliseconds of a core: more at once would take them from evaluations. */
const atOnce = 2;
/** Those that wait for a place: a few seconds' worth. */
const waitingMax = 32;

/** Checks and makes hashes of passwords, a few at a time in the whole process. When too many wait, the answer is `busy`. */
export class PasswordDesk implements PasswordPort {
  readonly #isPasswordOf: typeof isPasswordOf;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  /** @param check what a check is; a caller that counts them gives its own. */
  constructor(check: typeof isPasswordOf = isPasswordOf) {
    this.#isPasswordOf = check;
  }

  async check(passwordHash: string | null, password: string): Promise<boolean | 'busy'> {
    return this.#take(() => this.#isRight(passwordHash, password));
  }

  async checkEach(
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'> {
    return this.#take(async () => {
      const right: boolean[] = [];
      for (const passwordHash of passwordHashes) right.push(await this.#isRight(passwordHash, password));
      return right;
    });
  }

  async hash(password: string): Promise<string | 'busy'> {
    return this.#take(() => hashPassword(password));
  }

  async #isRight(passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.#isPasswordOf(passwordHash ?? decoyHash, password);
    return isRight && passwordHash !== null;
  }

  async #take<T>(work: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#underWay >= atOnce) {
      if (this.#waiting.length >= waitingMax) return 'busy';
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#underWay += 1;
    try {
      return await work();
    } finally {
      // The place goes to the request that has waited longest.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
