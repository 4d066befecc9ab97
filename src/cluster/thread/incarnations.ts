import type { Incarnation, SqlConnection } from '../sql/connection.ts';
import { judgeServer } from './lease-rules.ts';

/** Which PostgreSQL has answered last, over all connections of the node. */
export class Incarnations {
  readonly #onNew: () => void;
  #last: Incarnation | null = null;

  /** @param onNew called when another server answers, or the same one after it was started again */
  constructor(onNew: () => void) {
    this.#onNew = onNew;
  }

  /** @throws Error when the server is one that a failover has left behind; the connection is over then */
  require(connection: SqlConnection): void {
    const judgement = judgeServer(this.#last, connection.incarnation);
    if (judgement === 'stale') {
      connection.destroy('an older server');
      throw new Error(`${connection.host} is a server of before a failover: what it takes would be lost`);
    }
    this.#last = connection.incarnation;
    if (judgement === 'new') this.#onNew();
  }
}
