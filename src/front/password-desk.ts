import type { PasswordPort } from '../operations/conversation.ts';
import { decoyHash, hashPassword, isPasswordOf } from '../support/password-hash.ts';

/**
 * Hashes at once. Each takes 19 MiB and some tens of milliseconds of a core: more would take the processor from
 * evaluations.
 */
const atOnce = 2;
/** Most requests that wait for a place: a few seconds of work. */
const waitingMax = 32;

/**
 * Makes and checks password hashes, a few at a time in the whole process. When too many requests wait, the answer is
 * `busy`.
 */
export class PasswordDesk implements PasswordPort {
  readonly #isPasswordOf: typeof isPasswordOf;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  /** @param check the function that checks a password; a test may give one that counts. */
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
