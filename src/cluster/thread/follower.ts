import type { Logger } from '../../observability/logger.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { report } from '../sql/node-statements.ts';
import type { LogRow } from '../sql/rows.ts';
import { rowsAfter } from '../sql/statements.ts';
import type { ReplicaClient } from './replica-client.ts';

/** The replica cannot get further by the log: its rows are gone, or it is of another history. */
export class NeedsStateError extends Error {}

/** A row that this version cannot read. */
export class NewerLogError extends Error {}

export interface FollowerOptions {
  readonly replica: ReplicaClient;
  self(): string;
  readonly log: Logger;
}

/** Brings rows of the log to the replica, and tells who decided them that they were applied here. */
export class Follower {
  readonly #options: FollowerOptions;
  /** Whose rows the writer was given by other ways, and that are not reported yet. */
  readonly #authors = new Set<string>();
  #connection: SqlConnection | null = null;
  #wanted = 0;
  #run: Promise<void> | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** @param connection null: there is none, and nothing can be fetched */
  use(connection: SqlConnection | null): void {
    this.#connection = connection;
  }

  /** A commit was made. What fails is tried again by `catchUp`. */
  wake(position: number): void {
    this.catchUp(position).catch((fault: Error) =>
      this.#options.log.debug({ reason: fault.message }, 'the log could not be followed'),
    );
  }

  /**
   * @returns once a position is applied
   * @throws NeedsStateError, NewerLogError; Error where PostgreSQL does not answer
   */
  catchUp(position: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, position);
    this.#run ??= this.#follow().finally(() => {
      this.#run = null;
    });
    return this.#run;
  }

  /** The replica took over a state: what was wanted of another history is not wanted any more. */
  restart(position: number): void {
    this.#wanted = position;
  }

  /** Rows of these authors are about to be applied by the writer itself. */
  noteAuthors(rows: readonly LogRow[]): void {
    for (const { node } of rows) if (node !== this.#options.self()) this.#authors.add(node);
  }

  /** The replica has applied more. */
  applied(position: number): void {
    const connection = this.#connection;
    if (connection === null || connection.isOver) return;
    const self = this.#options.self();
    for (const author of this.#authors) {
      report(connection, author, self, position).catch((fault: Error) =>
        this.#options.log.debug({ reason: fault.message }, 'what was applied could not be reported'),
      );
    }
    this.#authors.clear();
  }

  async #follow(): Promise<void> {
    // Or a run with nothing to do would end before it is noted as begun.
    await null;
    const { replica } = this.#options;
    while (replica.place.position < this.#wanted) {
      const connection = this.#connection;
      if (connection === null || connection.isOver) throw new Error('there is no connection to PostgreSQL');
      const { position } = replica.place;
      const { rows } = await rowsAfter(connection, position);
      if (rows.length === 0) await this.#requireMore(connection, position);
      else await this.#apply(rows);
    }
  }

  async #apply(rows: readonly LogRow[]): Promise<void> {
    const { replica } = this.#options;
    const [first] = rows;
    if (first !== undefined && first.position > replica.place.position + 1) {
      throw new NeedsStateError(`the log begins at ${first.position}`);
    }
    this.noteAuthors(rows);
    const refusal = await replica.follow(rows);
    if (refusal?.kind === 'diverged') throw new NeedsStateError(refusal.message);
    if (refusal?.kind === 'newer') throw new NewerLogError(refusal.message);
  }

  /** There are no rows behind a position, though some are wanted: they were trimmed, or PostgreSQL has lost them. */
  async #requireMore(connection: SqlConnection, position: number): Promise<void> {
    const head = await readClusterHead(connection);
    if (head.keptFrom > position + 1) throw new NeedsStateError(`the log is kept from ${head.keptFrom} on`);
    if (head.position < position) throw new NeedsStateError(`the log ends at ${head.position}`);
    if (head.position === position) this.#wanted = position;
  }
}
