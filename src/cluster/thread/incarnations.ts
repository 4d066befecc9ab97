import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Incarnation, SqlConnection } from '../sql/connection.ts';
import { isRestored, judgeServer } from './lease-rules.ts';

/** The PostgreSQL server that answered last, over all connections of the node. */
export class Incarnations {
  readonly #onNew: () => void;
  #last: Incarnation | null = null;
  /** Open connections to it. */
  readonly #connections = new Set<SqlConnection>();
  /** Time of its last answer on a closed connection. */
  #answeredAt = 0;

  /** @param onNew called when another server answers, or the same one after a restart */
  constructor(onNew: () => void) {
    this.#onNew = onNew;
  }

  /** @throws Error when the server is a demoted primary; the connection is over then */
  require(connection: SqlConnection): void {
    const { incarnation } = connection;
    const judgement = judgeServer(this.#last, incarnation);
    const silentMs = monotonicMs() - this.#lastAnswerAt();
    if (judgement === 'stale' && !isRestored(incarnation.uptimeMs, silentMs)) {
      connection.destroy('an older server');
      throw new Error(`${connection.host} is a server of before a failover: what it takes would be lost`);
    }
    if (judgement !== 'same') this.#endOthers();
    this.#last = incarnation;
    this.#keep(connection);
    if (judgement !== 'same') this.#onNew();
  }

  /** Commits over them may be lost already. */
  #endOthers(): void {
    const others = [...this.#connections];
    this.#connections.clear();
    for (const connection of others) connection.destroy('another server answers');
  }

  #keep(connection: SqlConnection): void {
    this.#answeredAt = connection.answeredAt;
    this.#connections.add(connection);
    void connection.ended.then(() => {
      if (!this.#connections.delete(connection)) return;
      this.#answeredAt = Math.max(this.#answeredAt, connection.answeredAt);
    });
  }

  #lastAnswerAt(): number {
    return Math.max(this.#answeredAt, ...[...this.#connections].map(({ answeredAt }) => answeredAt));
  }
}
