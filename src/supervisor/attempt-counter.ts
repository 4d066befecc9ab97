import type { ClusterQuestions } from '../cluster/client/cluster-protocol.ts';
import type { AttemptsPort, CountedAttempts } from '../operations/cluster/attempts-port.ts';
import type { PortCalls } from '../support/port-calls.ts';
import { within } from '../support/within.ts';

/** Counts in flight of this process: as many as password checks may wait, and some sign-ins by OpenID. */
const atOnce = 64;
/** Timeout of a count. After it only the limit of this node holds. */
const answerTimeoutMs = 4000;

/** Asks the cluster's thread to count attempts, at most `atOnce` at a time. */
export class AttemptCounter implements AttemptsPort {
  readonly #questions: PortCalls<ClusterQuestions, Record<never, never>>;
  #underWay = 0;

  constructor(questions: PortCalls<ClusterQuestions, Record<never, never>>) {
    this.#questions = questions;
  }

  async count(keys: readonly string[], windowMs: number): Promise<readonly CountedAttempts[] | null> {
    if (this.#underWay >= atOnce) return null;
    const asked = this.#hold(this.#questions.ask('countAttempts', { keys, windowMs }));
    return (await within(answerTimeoutMs, asked)) ? await asked : null;
  }

  async giveBack(keys: readonly string[]): Promise<null> {
    if (this.#underWay >= 2 * atOnce) return null;
    await this.#hold(this.#questions.ask('giveBackAttempts', keys));
    return null;
  }

  /** The thread may end meanwhile. */
  async #hold<T>(asked: Promise<T>): Promise<T | null> {
    this.#underWay += 1;
    try {
      return await asked.catch(() => null);
    } finally {
      this.#underWay -= 1;
    }
  }
}
