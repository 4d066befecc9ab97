import type { Logger } from '../../observability/logger.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import { report } from '../sql/node-statements.ts';
import type { LogRow } from '../sql/rows.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { NewerLogError } from './newer-log.ts';
import type { ReplicaClient } from './replica-client.ts';

/** The replica cannot follow the log: its next rows are gone, or it has another history. */
export class NeedsStateError extends Error {
  /** PostgreSQL has lost rows that were applied here. */
  readonly isLoss: boolean;

  constructor(message: string, isLoss: boolean) {
    super(message);
    this.isLoss = isLoss;
  }
}

/** A row left to the writer that is not applied after this time is fetched. */
const ownRowMs = 100;

export interface FollowerOptions {
  readonly replica: ReplicaClient;
  readonly meter: ClusterMeter;
  self(): string;
  readonly log: Logger;
}

/** Fetches rows of the log for the replica, and reports to their authors that they were applied here. */
export class Follower {
  readonly #options: FollowerOptions;
  /** Authors of applied rows that were not reported yet, with the position. */
  readonly #authors = new Map<string, number>();
  /** Authors whose last report is in flight. They get the next one afterwards. */
  readonly #reporting = new Set<string>();
  #connection: SqlConnection | null = null;
  #wanted = 0;
  /** Number of calls that asked for rows, also for positions that were wanted already. */
  #requests = 0;
  /** Position of this node's own commit, which the writer applies. */
  #own = 0;
  #run: Promise<void> | null = null;
  #awaited: { readonly position: number; resolve(): void }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** @param connection null if nothing can be fetched now */
  use(connection: SqlConnection | null): void {
    this.#connection = connection;
  }

  /** A commit was made. `catchUp` retries after a failure. */
  wake(position: number): void {
    this.#options.meter.showHead(position);
    if (position === this.#own) {
      // While the outcome is unknown, the row may be another node's, which waits for this one.
      setTimeout(() => this.#fetch(position), ownRowMs).unref();
    } else this.#fetch(position);
  }

  #fetch(position: number): void {
    this.catchUp(position).catch((fault: Error) =>
      this.#options.log.debug({ reason: fault.message }, 'the log could not be followed'),
    );
  }

  /**
   * @returns once a position is applied, or PostgreSQL's log ends before it. It does not wait for later positions:
   * while others write all the time it would never end, and the lease would expire.
   * @throws NeedsStateError, NewerLogError; Error when PostgreSQL does not answer
   */
  async catchUp(position: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, position);
    this.#requests += 1;
    this.#run ??= this.#follow().finally(() => {
      this.#run = null;
      this.#awaited = [];
    });
    const reached = new Promise<void>((resolve) => this.#awaited.push({ position, resolve }));
    await Promise.race([this.#run, reached]);
  }

  /** A commit of this node is in flight: its row need not be fetched. */
  leaveToWriter(position: number): void {
    this.#own = position;
  }

  /** The writer's row was not stored: the row at its position is another node's. */
  takeFromWriter(position: number): void {
    this.#own = 0;
    this.#fetch(position);
  }

  /** The replica took over a state: forget what was wanted of the previous history. */
  restart(position: number): void {
    this.#wanted = position;
    this.#own = 0;
  }

  /** These rows were fetched, and are about to be applied by the follower or the writer. */
  noteFetched(rows: readonly LogRow[]): void {
    const bytes = rows.reduce((sum, { changes }) => sum + changes.length, 0);
    this.#options.meter.countFollowed(rows.length, bytes);
    for (const { node, position } of rows)
      if (node !== this.#options.self()) this.#authors.set(node, position);
  }

  /** The replica has applied rows up to a position. */
  applied(position: number): void {
    for (const { resolve, ...awaited } of this.#awaited) if (awaited.position <= position) resolve();
    this.#awaited = this.#awaited.filter((awaited) => awaited.position > position);
    for (const author of this.#authors.keys()) {
      if (this.#reporting.has(author)) continue;
      this.#report(author).catch((fault: Error) =>
        this.#options.log.debug({ reason: fault.message }, 'what was applied could not be reported'),
      );
    }
  }

  /** Reports the applied position to an author, one report after another, until none is due. */
  async #report(author: string): Promise<void> {
    const { replica, self } = this.#options;
    this.#reporting.add(author);
    try {
      for (let reported = 0; ; ) {
        const connection = this.#connection;
        const noted = this.#authors.get(author);
        const { position } = replica.place;
        const isTold = noted === undefined || position <= reported;
        if (isTold || connection === null || connection.isOver) return;
        if (noted <= position) this.#authors.delete(author);
        await report(connection, author, self(), position);
        reported = position;
      }
    } finally {
      this.#reporting.delete(author);
    }
  }

  async #follow(): Promise<void> {
    // Otherwise a run with nothing to do would end before it is marked as begun.
    await null;
    const { replica } = this.#options;
    for (let owed = 0; replica.place.position < this.#wanted; ) {
      const connection = this.#connection;
      if (connection === null || connection.isOver) throw new Error('there is no connection to PostgreSQL');
      const { position } = replica.place;
      const { rows } = await rowsAfter(connection, position);
      if (rows.length > 0) await this.#apply(rows);
      else if (owed > position)
        throw new NeedsStateError(`the log has no row behind ${position}, and its head is at ${owed}`, false);
      else owed = await this.#requireMore(connection, position);
    }
  }

  async #apply(rows: readonly LogRow[]): Promise<void> {
    const { replica } = this.#options;
    const [first] = rows;
    if (first !== undefined && first.position > replica.place.position + 1) {
      throw new NeedsStateError(`the log begins at ${first.position}`, false);
    }
    this.noteFetched(rows);
    const refusal = await replica.follow(rows);
    if (refusal?.kind === 'diverged') throw new NeedsStateError(refusal.message, true);
    if (refusal?.kind === 'newer') throw new NewerLogError(refusal.message);
  }

  /**
   * Called when wanted rows are missing: they were trimmed, or PostgreSQL has lost them.
   * @returns the head's position, up to which there are rows now
   */
  async #requireMore(connection: SqlConnection, position: number): Promise<number> {
    const requests = this.#requests;
    const head = await readClusterHead(connection);
    if (head.position < position) throw new NeedsStateError(`the log ends at ${head.position}`, true);
    if (head.keptFrom > position + 1)
      throw new NeedsStateError(`the log is kept from ${head.keptFrom} on`, false);
    // Rows that were wanted during the read may be committed after it.
    if (head.position === position && requests === this.#requests) this.#wanted = position;
    return head.position;
  }
}
