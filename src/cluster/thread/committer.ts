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

/** How long it is tried to learn what became of a commit whose connection ended. */
const outcomeMsMax = 5000;
/** Between two attempts: PostgreSQL may refuse at once. */
const outcomePauseMs = 100;

/** What a commit tells the follower, which would otherwise fetch what the writer has or is given. */
type LogFollower = Pick<Follower, 'noteFetched' | 'leaveToWriter' | 'takeFromWriter'>;

/** Brings what the writer decided to PostgreSQL, and says what became of it. One thing at a time: the writer asks so. */
export class Committer {
  readonly #link: PrimaryLink;
  readonly #acknowledgements: Acknowledgements;
  readonly #meter: ClusterMeter;
  readonly #follower: LogFollower;
  #locked: SqlConnection | null = null;
  /** Commits, and requests for the lock, that are under way. */
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

  /** Nothing else is to be asked over the connection: a commit is under way, or its lock is held. */
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
    // What is, or comes, at this position is another node's, which waits until its row is applied here.
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
      return this.#told(outcome, request, sentAt);
    } catch (fault) {
      // What was refused before it was sent has left its transaction open.
      if (isLocked && !connection.isOver) await giveUpLock(connection).catch(() => undefined);
      // Where PostgreSQL said nothing, nobody knows.
      if (connection.isOver) return await this.#learnOutcome(request, fault);
      // It has refused it: nothing was stored.
      await this.#readNodes(connection);
      return notStored(fault, connection);
    }
  }

  /** @returns null when PostgreSQL has ended its transaction, or the connection has ended */
  #takeLocked(): SqlConnection | null {
    const connection = this.#locked;
    this.#locked = null;
    return connection?.isOver === false ? connection : null;
  }

  #told(outcome: CommitOutcome, { row }: CommitRequest, sentAt: number): Reply<'commit'> {
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
   * Sends the very same row again: of two attempts one at most is taken, and the row at its position says whose. Where the
   * log was trimmed up to there meanwhile, nothing says it.
   */
  async #learnOutcome(request: CommitRequest, cause: unknown): Promise<Reply<'commit'>> {
    const until = monotonicMs() + outcomeMsMax;
    let last = cause;
    while (monotonicMs() < until) {
      try {
        const sentAt = monotonicMs();
        const connection = await this.#link.get();
        const outcome = await commit(connection, request);
        if (outcome.isCommitted) return this.#told(outcome, request, sentAt);
        const { position, batch } = request.row;
        const found = await batchAt(connection, position);
        if (found === null)
          return unknown(
            'no row is at its position: it was trimmed, or PostgreSQL has lost a part of the history',
          );
        if (found !== batch) return this.#told(outcome, request, sentAt);
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

  /** What was refused has not shown them, and earlier changes may wait for a node that is silent by now. */
  async #readNodes(connection: SqlConnection): Promise<void> {
    // If it fails the connection is over, and the next one is asked.
    await this.#acknowledgements.readNodes(connection).catch(() => undefined);
  }

  /** A writer that is far behind applies what there is first, while others commit. */
  async #behind(
    connection: SqlConnection,
    first: readonly LogRow[],
    position: number,
  ): Promise<Reply<'lock'>> {
    await this.unlock();
    // A row that is larger than what is read at once comes by itself.
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

  /** The nodes are read with the head: one that has joined since may not have the position. */
  async verify({ position }: ClusterCalls['verify']['args']): Promise<Reply<'verify'>> {
    let connection: SqlConnection | null = null;
    try {
      // What was locked is over once PostgreSQL has ended its transaction.
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

/** Nobody changes anything any more. */
class ClusterClosedError extends Error {
  constructor() {
    super('the cluster was closed by `burgee cluster leave`');
  }
}

/** The row, and what it does to the records that a node is begun with. */
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

/** @param connection over which it was asked: while that lives, PostgreSQL has refused it; null: there was none */
function notStored(fault: unknown, connection: SqlConnection | null): NotStored {
  const isRefused = connection !== null && !connection.isOver;
  const isLocked = (fault as { readonly code?: string }).code === '55P03';
  const message = isLocked
    ? 'somebody else has the lock of the cluster: a change that takes long, or one that waits for the standby'
    : messageOf(fault);
  const isLasting = fault instanceof RangeError || fault instanceof ClusterClosedError;
  return { kind: isRefused ? 'refused' : 'cut-off', message, isLasting };
}

function unknown(why: string): Extract<Reply<'commit'>, { readonly kind: 'unknown' }> {
  return { kind: 'unknown', message: `the outcome of a commit is not known: ${why}`, isLasting: false };
}
