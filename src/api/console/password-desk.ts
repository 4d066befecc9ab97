import { decoyHash, hashPassword, isPasswordOf } from '../../support/password-hash.ts';

/** Each takes 19 MiB and some tens of milliseconds of a core: more at once would take them from evaluations. */
const atOnce = 2;
/** Those that wait for a place: a few seconds' worth. */
const waitingMax = 32;

/** Checks and makes hashes of passwords, a few at a time. When too many wait, the answer is `busy`. */
export class PasswordDesk {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  /**
   * @param passwordHash null for a member who is unknown or has none: the work is the same.
   */
  async check(passwordHash: string | null, password: string): Promise<boolean | 'busy'> {
    return this.#take(async () => {
      const isRight = await isPasswordOf(passwordHash ?? decoyHash, password);
      return isRight && passwordHash !== null;
    });
  }

  async hash(password: string): Promise<string | 'busy'> {
    return this.#take(() => hashPassword(password));
  }

  async #take<T>(work: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#underWay >= atOnce) {
      if (this.#waiting.length >= waitingMax) return 'busy';
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#underWay += 1;
    try {
      return await work();
    } finally {
      // The place goes to whoever has waited longest.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
