import type { Logger } from '../../observability/logger.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import { report } from '../sql/node-statements.ts';
import type { LogRow } from '../sql/rows.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { NewerLogError } from './newer-log.ts';
import type { ReplicaClient } from './replica-client.ts';

/** The replica cannot get further by the log: its rows are gone, or it is of another history. */
export class NeedsStateError extends Error {
  /** PostgreSQL does not have what was applied here, and not only no more. */
  readonly isLoss: boolean;

  constructor(message: string, isLoss: boolean) {
    super(message);
    this.isLoss = isLoss;
  }
}

/** After this time a row that was left to the writer, and is not applied yet, is fetched all the same. */
const ownRowMs = 100;

export interface FollowerOptions {
  readonly replica: ReplicaClient;
  readonly meter: ClusterMeter;
  self(): string;
  readonly log: Logger;
}

/** Brings rows of the log to the replica, and tells who decided them that they were applied here. */
export class Follower {
  readonly #options: FollowerOptions;
  /** Whose rows were brought here and are not reported yet, and up to which position. */
  readonly #authors = new Map<string, number>();
  /** Those whose last report is not answered yet: they get the next one then. */
  readonly #reporting = new Set<string>();
  #connection: SqlConnection | null = null;
  #wanted = 0;
  /** How often something was wanted: it may have been what is wanted already. */
  #wishes = 0;
  /** The position of this node's own commit, whose row the writer applies. */
  #own = 0;
  #run: Promise<void> | null = null;
  #awaited: { readonly position: number; resolve(): void }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** @param connection null: there is none, and nothing can be fetched */
  use(connection: SqlConnection | null): void {
    this.#connection = connection;
  }

  /** A commit was made. What fails is tried again by `catchUp`. */
  wake(position: number): void {
    this.#options.meter.showHead(position);
    if (position === this.#own) {
      // It may be another node's, which waits for this one, while the outcome is not known.
      setTimeout(() => this.#fetch(position), ownRowMs).unref();
    } else this.#fetch(position);
  }

  #fetch(position: number): void {
    this.catchUp(position).catch((fault: Error) =>
      this.#options.log.debug({ reason: fault.message }, 'the log could not be followed'),
    );
  }

  /**
   * @returns once a position is applied, or PostgreSQL is found to end before it. It does not wait for those that are wanted
   * meanwhile: where others write all the time there would be no end of them, and no lease.
   * @throws NeedsStateError, NewerLogError; Error where PostgreSQL does not answer
   */
  async catchUp(position: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, position);
    this.#wishes += 1;
    this.#run ??= this.#follow().finally(() => {
      this.#run = null;
      this.#awaited = [];
    });
    const reached = new Promise<void>((resolve) => this.#awaited.push({ position, resolve }));
    await Promise.race([this.#run, reached]);
  }

  /** A commit of this node is on its way: its row need not be fetched. */
  leaveToWriter(position: number): void {
    this.#own = position;
  }

  /** The writer's row is not stored: what is, or comes, at its position is another node's. */
  takeFromWriter(position: number): void {
    this.#own = 0;
    this.#fetch(position);
  }

  /** The replica took over a state: what was wanted of another history is not wanted any more. */
  restart(position: number): void {
    this.#wanted = position;
    this.#own = 0;
  }

  /** These rows were fetched, and are about to be applied: by the follower, or by the writer itself. */
  noteFetched(rows: readonly LogRow[]): void {
    const bytes = rows.reduce((sum, { changes }) => sum + changes.length, 0);
    this.#options.meter.countFollowed(rows.length, bytes);
    for (const { node, position } of rows)
      if (node !== this.#options.self()) this.#authors.set(node, position);
  }

  /** The replica has applied more. */
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

  /** Tells an author how far its rows are applied, one report after the other, until it knows of all. */
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
    // Or a run with nothing to do would end before it is noted as begun.
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
   * There are no rows behind a position, though some are wanted: they were trimmed, or PostgreSQL has lost them.
   * @returns where the head is: up to there are rows now
   */
  async #requireMore(connection: SqlConnection, position: number): Promise<number> {
    const wishes = this.#wishes;
    const head = await readClusterHead(connection);
    if (head.position < position) throw new NeedsStateError(`the log ends at ${head.position}`, true);
    if (head.keptFrom > position + 1)
      throw new NeedsStateError(`the log is kept from ${head.keptFrom} on`, false);
    // What was wanted while it was read may be committed behind it.
    if (head.position === position && wishes === this.#wishes) this.#wanted = position;
    return head.position;
  }
}
