import { setTimeout as pause } from 'node:timers/promises';
import { FailureLog, pauseUntil } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import { recordsFormat } from '../../storage/replica/log-row.ts';
import type { LeaseCell } from '../../support/lease-cell.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { ConnectError } from '../sql/connect.ts';
import { ConnectionOverError, type SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { hearCluster, leave, renew } from '../sql/node-statements.ts';
import type { Head } from '../sql/rows.ts';
import { OtherSchemaError } from '../sql/schema.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { type Follower, NeedsStateError } from './follower.ts';
import { validUntil } from './lease-rules.ts';
import { NewerLogError, requireReadable } from './newer-log.ts';
import type { PrimaryLink } from './primary-link.ts';
import type { ReplicaClient } from './replica-client.ts';

/** Tolerated clock difference. Times in the audit log and expiries use each node's own clock; leases do not. */
const skewMsMax = 1000;

/** Compares this machine's clock with PostgreSQL's, which is the same for all nodes. */
export class ClockWatch {
  readonly #meter: ClusterMeter;
  readonly #log: Logger;
  #isOff = false;

  constructor(meter: ClusterMeter, log: Logger) {
    this.#meter = meter;
    this.#log = log;
  }

  /**
   * @param sentAt this machine's time when the question was sent, in Unix milliseconds
   * @param databaseTime PostgreSQL's answer
   * @param answeredAt this machine's time of the answer
   */
  compare(sentAt: number, databaseTime: number, answeredAt: number): void {
    if (Number.isNaN(databaseTime) || answeredAt < sentAt) return;
    const aheadMs = (sentAt + answeredAt) / 2 - databaseTime;
    this.#meter.showClockSkew(aheadMs);
    // PostgreSQL may have read its clock at any time in between: subtract what the delay explains.
    const isOff = Math.abs(aheadMs) - (answeredAt - sentAt) / 2 > skewMsMax;
    if (isOff && !this.#isOff) {
      const seconds = Math.round(aheadMs / 100) / 10;
      this.#log.warn(
        { seconds },
        "this machine's clock is more than a second ahead of PostgreSQL's, or behind",
      );
    }
    this.#isOff = isOff;
  }
}

export interface MembershipOptions {
  /** Link for listening and renewals. */
  readonly link: PrimaryLink;
  readonly replica: ReplicaClient;
  readonly follower: Follower;
  readonly acknowledgements: Acknowledgements;
  readonly lease: LeaseCell;
  readonly leaseMs: number;
  readonly label: string;
  readonly log: Logger;
  readonly meter: ClusterMeter;
  self(): string;
  /** Makes the replica take over the state of PostgreSQL, under a new name. */
  startAnew(why: NeedsStateError): Promise<void>;
}

/** Renewals per lease. */
export const renewalsPerLease = 3;
const reconnectMs = 100;
/** Longest pause after a fault that is not the connection's, such as a full disk. */
const followAgainMsMax = 5000;
/** Delay until a stop is noticed. */
const lookEveryMs = 100;

/**
 * Follows the log, and renews the lease while the replica keeps up. A valid lease means that every change
 * acknowledged anywhere is applied here.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #renewEveryMs: number;
  readonly #clock: ClockWatch;
  #head: Head | null = null;
  /** Whether the log already says that this node must be upgraded. */
  #isBackward = false;
  /** Whether the log already says that the cluster is closed. */
  #isClosed = false;
  #counter = 0;
  readonly #stopped = new AbortController();
  /** Whether a state is being taken over, which has its own pauses after failures. */
  #isStartingAnew = false;
  #connection: SqlConnection | null = null;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#renewEveryMs = options.leaseMs / renewalsPerLease;
    this.#clock = new ClockWatch(options.meter, options.log);
  }

  get #isStopping(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** PostgreSQL's head as last read; null before the first read. */
  get head(): Head | null {
    return this.#head;
  }

  /**
   * Keeps the node in the cluster until `stop`.
   * @param storeId of the replica
   * @throws Error when the cluster has another store, so that nothing here may be changed; OtherSchemaError
   */
  async run(storeId: string): Promise<void> {
    const { link, log, meter } = this.#options;
    const failures = new FailureLog(log, 'this node is cut off from its cluster');
    // A connection alone does not reset the pause: the same rows would be fetched, and the same fault logged, without
    // end.
    let failed = 0;
    while (!this.#isStopping) {
      try {
        const connection = await link.get();
        requireSameStore(storeId, (await readClusterHead(connection)).store);
        await this.#serve(connection, () => {
          failed = 0;
          const follows = !this.#isBackward && !this.#isClosed;
          if (failures.succeeded() && follows)
            log.info({ host: connection.host }, 'this node follows its cluster again');
        });
      } catch (fault) {
        if (fault instanceof OtherStoreError || fault instanceof OtherSchemaError) throw fault;
        if (this.#isStopping) return;
        meter.countRenewal(false);
        failures.tell(fault);
        const isOfConnection = fault instanceof ConnectError || fault instanceof ConnectionOverError;
        failed = isOfConnection || this.#isStartingAnew ? 0 : failed + 1;
        this.#isStartingAnew = false;
        await pauseUntil(Math.min(followAgainMsMax, reconnectMs * 2 ** failed), this.#stopped.signal);
      }
    }
  }

  /** @param onKeptUp called whenever all rows are applied */
  async #serve(connection: SqlConnection, onKeptUp: () => void): Promise<void> {
    const { acknowledgements, follower } = this.#options;
    await hearCluster(connection, this.#options.self(), {
      onCommit: (position) => follower.wake(position),
      onReport: (node, position) => acknowledgements.reported(node, position),
    });
    follower.use(connection);
    this.#connection = connection;
    try {
      while (!this.#isStopping && !connection.isOver) {
        const beganAt = monotonicMs();
        const mayRest = await this.#keepUp(connection);
        onKeptUp();
        if (mayRest) await this.#rest(connection, beganAt + this.#renewEveryMs);
      }
    } finally {
      this.#connection = null;
      follower.use(null);
      connection.destroy('it is made anew');
    }
  }

  /** @returns whether to rest until the next renewal */
  async #keepUp(connection: SqlConnection): Promise<boolean> {
    try {
      return await this.#renew(connection);
    } catch (fault) {
      if (fault instanceof NeedsStateError) await this.#startAnew(fault);
      else if (fault instanceof NewerLogError) this.#standBack(fault.message);
      else throw fault;
      return true;
    }
  }

  async #renew(connection: SqlConnection): Promise<boolean> {
    const { replica, follower, lease, leaseMs, meter } = this.#options;
    const sentAt = monotonicMs();
    const wallAt = Date.now();
    const before = replica.place;
    // A node that has not caught up does not ask others to wait for it.
    const asksToWait = this.#head !== null && !this.#isBehind && this.#head.closedAt === null;
    const head = asksToWait ? await this.#ask(connection) : await readClusterHead(connection);
    const isFirst = this.#head === null;
    this.#head = head;
    meter.showHead(head.position, isFirst);
    requireReadable(head);
    this.#requireOwnHistory(head, before);
    // Every change acknowledged before the renewal must be applied before the lease counts.
    if (replica.place.position < head.position) await follower.catchUp(head.position);
    if (replica.place.position < head.position)
      throw new Error(`PostgreSQL was at ${head.position}, and has no rows to there`);
    this.#isBackward = false;
    if (head.closedAt !== null) return this.#stayOut(connection);
    this.#isClosed = false;
    meter.showCaughtUp(sentAt);
    if (!asksToWait) return !isFirst;
    // The lease was returned meanwhile, and no change waits for this node.
    if (this.#isStopping) return true;
    const untilMs = validUntil(sentAt, leaseMs);
    lease.renew(untilMs, wallAt + (untilMs - sentAt));
    meter.countRenewal(true);
    return true;
  }

  get #isBehind(): boolean {
    return this.#head !== null && this.#options.replica.place.position < this.#head.position;
  }

  async #ask(connection: SqlConnection): Promise<Head> {
    const { replica, label, leaseMs } = this.#options;
    this.#counter += 1;
    const sentAt = Date.now();
    const { head, databaseTime } = await renew(connection, {
      id: this.#options.self(),
      counter: this.#counter,
      applied: replica.place.position,
      knowsFormat: recordsFormat,
      label,
      leaseMs,
    });
    this.#clock.compare(sentAt, databaseTime, Date.now());
    return head;
  }

  /** @param before the replica's position before the head was read; own commits may have moved both since */
  #requireOwnHistory(head: Head, before: { readonly position: number; readonly checksum: Uint8Array }): void {
    if (head.position < before.position) {
      throw new NeedsStateError(
        `PostgreSQL is at ${head.position}, and this node was at ${before.position}`,
        true,
      );
    }
    const isSame = Buffer.compare(head.checksum, before.checksum) === 0;
    if (head.position === before.position && !isSame)
      throw new NeedsStateError('PostgreSQL has another history', true);
  }

  async #startAnew(why: NeedsStateError): Promise<void> {
    this.#options.lease.end();
    this.#head = null;
    this.#counter = 0;
    await this.#leave();
    this.#isStartingAnew = true;
    await this.#options.startAnew(why);
    this.#isStartingAnew = false;
    // The name has changed, and with it the channel of reports.
    this.#connection?.destroy('the node starts anew');
  }

  /** Serves the last state until this node is upgraded, because a newer version writes to the cluster. */
  #standBack(reason: string): void {
    if (!this.#isBackward) {
      this.#options.log.error(
        { reason },
        'a newer version of Burgee writes to this cluster: upgrade this node',
      );
    }
    this.#isBackward = true;
    this.#options.lease.end();
  }

  /** Serves the last state, detached, because the cluster was closed for a single node. */
  async #stayOut(connection: SqlConnection): Promise<boolean> {
    this.#options.lease.end();
    if (this.#isClosed) return true;
    await leave(connection, this.#options.self());
    this.#isClosed = true;
    this.#options.log.error(
      'the cluster was closed by `burgee cluster leave`: this node stays detached; stop it, or make a cluster again with `burgee cluster create`',
    );
    return true;
  }

  /** Waits until the next renewal is due. */
  async #rest(connection: SqlConnection, until: number): Promise<void> {
    while (!this.#isStopping && !connection.isOver) {
      const left = until - monotonicMs();
      if (left <= 0) return;
      await Promise.race([pause(Math.min(left, lookEveryMs)), connection.ended]);
    }
  }

  /** Returns the lease, so that no change waits for this node. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#options.lease.end();
    await this.#leave();
    await this.#options.link.end();
  }

  /** Removes the node under its present name. Its lease has ended. */
  async #leave(): Promise<void> {
    const connection = this.#connection;
    if (connection === null || connection.isOver) return;
    await leave(connection, this.#options.self()).catch(() => undefined);
  }
}

class OtherStoreError extends Error {}

/** @throws Error */
export function requireSameStore(own: string, cluster: string): void {
  if (own === cluster) return;
  throw new OtherStoreError(
    `This node's directory holds store ${own}, and the cluster has store ${cluster}. Give the node a directory of its own ` +
      'with --data-dir, or name the cluster that the directory belongs to.',
  );
}
