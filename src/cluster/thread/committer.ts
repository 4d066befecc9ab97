import { setTimeout as pause } from 'node:timers/promises';
import { decodeContent } from '../../storage/replica/log-row.ts';
import { isOfState } from '../../storage/replica/state.ts';
import { asBuffer } from '../../support/as-buffer.ts';
import { messageOf } from '../../support/message-of.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { ClusterCalls, NotStored, RowMessage } from '../client/replica-protocol.ts';
import {
  batchAt,
  type CommitOutcome,
  type CommitRequest,
  commit,
  commitLocked,
  giveUpLock,
  lockHead,
} from '../sql/commit-statements.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import { readNodes } from '../sql/node-statements.ts';
import type { LogRow, RecordKey, RecordRow } from '../sql/rows.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import type { Follower } from './follower.ts';
import type { PrimaryLink } from './primary-link.ts';
import { toRowMessage } from './replica-client.ts';

type Reply<Name extends 'commit' | 'lock' | 'verify'> = ClusterCalls[Name]['result'];

/** Timeout for learning the outcome of a commit whose connection ended. */
const outcomeMsMax = 5000;
/** Pause between two attempts, because PostgreSQL may refuse at once. */
const outcomePauseMs = 100;

/** Part of the follower that a commit notifies, so that it does not fetch rows that the writer already has. */
type LogFollower = Pick<Follower, 'noteFetched' | 'leaveToWriter' | 'takeFromWriter'>;

/** Commits the writer's decisions to PostgreSQL and reports their outcome. The writer sends one at a time. */
export class Committer {
  readonly #link: PrimaryLink;
  readonly #acknowledgements: Acknowledgements;
  readonly #meter: ClusterMeter;
  readonly #follower: LogFollower;
  #locked: SqlConnection | null = null;
  /** Commits and lock requests in flight. */
  #underWay = 0;

  constructor(
    link: PrimaryLink,
    acknowledgements: Acknowledgements,
    meter: ClusterMeter,
    follower: LogFollower,
  ) {
    this.#link = link;
    this.#acknowledgements = acknowledgements;
    this.#meter = meter;
    this.#follower = follower;
  }

  /** Whether a commit is in flight or the lock is held, so that nothing else may be sent on the connection. */
  get isBusy(): boolean {
    return this.#underWay > 0 || (this.#locked !== null && !this.#locked.isOver);
  }

  async #whileBusy<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
    }
  }

  async commit(args: ClusterCalls['commit']['args']): Promise<Reply<'commit'>> {
    const startedAt = monotonicMs();
    const reply = await this.#whileBusy(this.#leftToWriter(args));
    this.#meter.countCommit(reply.kind === 'cut-off' ? 'refused' : reply.kind, args.isLocked, startedAt);
    return reply;
  }

  async #leftToWriter(args: ClusterCalls['commit']['args']): Promise<Reply<'commit'>> {
    const { position } = args.row;
    this.#follower.leaveToWriter(position);
    const reply = await this.#commit(args);
    // The row at this position is another node's, which waits until this node has applied it.
    const isStored = reply.kind === 'committed' || reply.kind === 'unknown';
    if (!isStored) this.#follower.takeFromWriter(position);
    return reply;
  }

  async #commit({ row, previous, isLocked }: ClusterCalls['commit']['args']): Promise<Reply<'commit'>> {
    const request = toRequest(row, previous);
    const sentAt = monotonicMs();
    let connection: SqlConnection | null;
    try {
      connection = isLocked ? this.#takeLocked() : await this.#link.get();
    } catch (fault) {
      return notStored(fault, null);
    }
    if (connection === null) return lockLost;
    try {
      const outcome = await (isLocked ? commitLocked : commit)(connection, request);
      return this.#replyTo(outcome, request, sentAt);
    } catch (fault) {
      // A commit that was refused before it was sent has left its transaction open.
      if (isLocked && !connection.isOver) await giveUpLock(connection).catch(() => undefined);
      // Without an answer the outcome is unknown.
      if (connection.isOver) return await this.#learnOutcome(request, fault);
      // PostgreSQL refused it: nothing was stored.
      await this.#readNodes(connection);
      return notStored(fault, connection);
    }
  }

  /** @returns the connection with the lock; null when its transaction or connection has ended */
  #takeLocked(): SqlConnection | null {
    const connection = this.#locked;
    this.#locked = null;
    return connection?.isOver === false ? connection : null;
  }

  #replyTo(outcome: CommitOutcome, { row }: CommitRequest, sentAt: number): Reply<'commit'> {
    this.#acknowledgements.observe(outcome.nodes, sentAt);
    if (!outcome.isCommitted) return { kind: 'lost' };
    if (outcome.isLocalOnly) this.#acknowledgements.committedHereOnly(row.position);
    else this.#acknowledgements.committed(row.position);
    return this.#stored('committed');
  }

  #stored<Kind>(kind: Kind): { readonly kind: Kind; readonly losses: number } {
    return { kind, losses: this.#acknowledgements.losses };
  }

  /**
   * Sends the same row again. At most one attempt commits; the row at that position shows which. If the log was
   * trimmed up to there, the outcome stays unknown.
   */
  async #learnOutcome(request: CommitRequest, cause: unknown): Promise<Reply<'commit'>> {
    const until = monotonicMs() + outcomeMsMax;
    let last = cause;
    while (monotonicMs() < until) {
      try {
        const sentAt = monotonicMs();
        const connection = await this.#link.get();
        const outcome = await commit(connection, request);
        if (outcome.isCommitted) return this.#replyTo(outcome, request, sentAt);
        const { position, batch } = request.row;
        const found = await batchAt(connection, position);
        if (found === null)
          return unknown(
            'no row is at its position: it was trimmed, or PostgreSQL has lost a part of the history',
          );
        if (found !== batch) return this.#replyTo(outcome, request, sentAt);
        this.#acknowledgements.observe(outcome.nodes, sentAt);
        return this.#stored('committed');
      } catch (fault) {
        last = fault;
        await pause(outcomePauseMs);
      }
    }
    return unknown(messageOf(last));
  }

  lock(args: ClusterCalls['lock']['args']): Promise<Reply<'lock'>> {
    return this.#whileBusy(this.#lock(args));
  }

  async #lock({ position, isLong }: ClusterCalls['lock']['args']): Promise<Reply<'lock'>> {
    let connection: SqlConnection | null = null;
    try {
      connection = await this.#link.get();
      const { head, others } = await lockHead(connection, position, isLong);
      this.#locked = connection;
      if (others.hasMore) return await this.#behind(connection, others.rows, position);
      const { rows } = others;
      if (head.closedAt !== null) throw new ClusterClosedError();
      this.#follower.noteFetched(rows);
      return { kind: 'locked', rows: rows.map(toRowMessage) };
    } catch (fault) {
      await this.unlock();
      if (connection !== null) await this.#readNodes(connection);
      return notStored(fault, connection);
    }
  }

  /** Reads the nodes after a refused commit, because earlier changes may wait for a node that is silent by now. */
  async #readNodes(connection: SqlConnection): Promise<void> {
    // If it fails, the connection is over and the next one reads them.
    await this.#acknowledgements.readNodes(connection).catch(() => undefined);
  }

  /** Returns rows to a writer that is far behind, without the lock, so that other nodes can commit. */
  async #behind(
    connection: SqlConnection,
    first: readonly LogRow[],
    position: number,
  ): Promise<Reply<'lock'>> {
    await this.unlock();
    // A row larger than one read is fetched alone.
    const rows = first.length > 0 ? first : (await rowsAfter(connection, position)).rows;
    this.#follower.noteFetched(rows);
    return { kind: 'behind', rows: rows.map(toRowMessage) };
  }

  async unlock(): Promise<null> {
    const connection = this.#locked;
    this.#locked = null;
    if (connection === null || connection.isOver) return null;
    await giveUpLock(connection).catch(() => connection.destroy('its lock was not given up'));
    return null;
  }

  /** Reads the nodes together with the head, because a node that has joined since may not have the position. */
  async verify({ position }: ClusterCalls['verify']['args']): Promise<Reply<'verify'>> {
    let connection: SqlConnection | null = null;
    try {
      // The lock is lost once PostgreSQL has ended its transaction.
      connection = this.#locked?.isOver === false ? this.#locked : await this.#link.get();
      const sentAt = monotonicMs();
      const [head, nodes] = await Promise.all([readClusterHead(connection), readNodes(connection)]);
      this.#acknowledgements.observe(nodes, sentAt);
      if (head.position === position) return this.#stored('newest');
      const { rows } = await rowsAfter(connection, position);
      this.#follower.noteFetched(rows);
      return { kind: 'behind', rows: rows.map(toRowMessage) };
    } catch (fault) {
      return notStored(fault, connection);
    }
  }
}

/** The cluster is closed and accepts no changes. */
class ClusterClosedError extends Error {
  constructor() {
    super('the cluster was closed by `burgee cluster leave`');
  }
}

/** The row with the primary records that it changes. */
function toRequest(message: RowMessage, previous: Uint8Array): CommitRequest {
  const changes = asBuffer(message.changes);
  const row: LogRow = { ...message, changes, checksum: asBuffer(message.checksum) };
  const puts: RecordRow[] = [];
  const removals: RecordKey[] = [];
  for (const write of decodeContent(changes).writes) {
    if (!isOfState(write)) continue;
    const { database, key, value } = write;
    if (value === null) removals.push({ database, key });
    else puts.push({ database, key, value });
  }
  return { row, previousChecksum: asBuffer(previous), puts, removals };
}

const lockLost = { kind: 'refused', message: 'the lock of the cluster was lost', isLasting: false } as const;

/** @param connection that sent the commit: while it lives, PostgreSQL has refused it. Null if there was none */
function notStored(fault: unknown, connection: SqlConnection | null): NotStored {
  const isRefused = connection !== null && !connection.isOver;
  const isLocked = (fault as { readonly code?: string }).code === '55P03';
  const message = isLocked
    ? 'another session holds the lock of the cluster: a long change, or one that waits for the standby'
    : messageOf(fault);
  const isLasting = fault instanceof RangeError || fault instanceof ClusterClosedError;
  return { kind: isRefused ? 'refused' : 'cut-off', message, isLasting };
}

function unknown(why: string): Extract<Reply<'commit'>, { readonly kind: 'unknown' }> {
  return { kind: 'unknown', message: `the outcome of a commit is not known: ${why}`, isLasting: false };
}
