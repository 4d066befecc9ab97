import type { Incarnation } from '../sql/connection.ts';
import { judgeServer } from './lease-rules.ts';

/** Which PostgreSQL has answered last, over all connections of the node. */
export class Incarnations {
  readonly #onNew: () => void;
  #last: Incarnation | null = null;

  /** @param onNew called when another server answers, or the same one after it was started again */
  constructor(onNew: () => void) {
    this.#onNew = onNew;
  }

  /** @returns whether the server may be spoken to: false for one that a failover has left behind */
  accept(incarnation: Incarnation): boolean {
    const judgement = judgeServer(this.#last, incarnation);
    if (judgement === 'stale') return false;
    this.#last = incarnation;
    if (judgement === 'new') this.#onNew();
    return true;
  }
}
