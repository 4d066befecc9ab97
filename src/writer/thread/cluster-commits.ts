import type {
  ClusterCalls,
  Confirmation,
  ReplicaCalls,
  RowMessage,
} from '../../cluster/client/replica-protocol.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import { NewerRowError, type ReplicaRow } from '../../storage/replica/log-row.ts';
import { type DecidedRow, DivergedError, isOfHistory, type Replica } from '../../storage/replica/replica.ts';
import type { Store } from '../../storage/store.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { PortCalls } from '../../support/port-calls.ts';
import { type CommitOptions, type Commits, type Committed, NotCommittedError } from './commits.ts';
import { NoRoomError } from './free-space.ts';
import { toLogRow } from './replica-handlers.ts';
import type { UsageSharing } from './usage-sharing.ts';

/** The writer's calls to the cluster's thread, and that thread's calls to the writer. */
export type ClusterPort = PortCalls<ClusterCalls, ReplicaCalls>;

/**
 * After losing a race against another node, the next attempts of short changes take the cluster's lock first, at most this
 * many. A commit under the lock that has received another node's row extends this: while several nodes write all the time,
 * most decisions without the lock are lost.
 */
const attemptsUnderLock = 16;
/** The most attempts of one commit. Under the lock no other node is faster, so only faults need more than two. */
const attemptsMax = 8;

/** The most pages of the log that a node applies to get the lock. It is further behind only after it was disconnected. */
const pagesMax = 200;
/** A change that is longer, or took longer to decide, is stored under the lock at once: other nodes would win each race. */
const longBytes = 1024 * 1024;
const longMs = 100;

export interface ClusterCommitsParts {
  readonly store: Store;
  readonly replica: Replica;
  readonly port: ClusterPort;
  readonly usage: UsageSharing;
  /** A change is answered within this time after it was begun. */
  readonly answerMs: number;
  /** As for `Store.write`, for this node's own counts. */
  readonly requireRoom: RequireRoom;
}

/** One call of `commit`, over all its attempts. */
interface CommitTask<T> {
  readonly run: Run<T>;
  /** On the monotonic clock. */
  readonly begunAt: number;
  /**
   * An attempt was long, so the next one will be too. The lock is then requested as a long one, and the wait for
   * confirmation counts from when the change is stored.
   */
  isLong: boolean;
}

type Run<T> = (transaction: WriteTransaction) => T;
/** Null: it was not committed, and must be decided again on the newest state. */
type Attempt<T> = Promise<Committed<T> | null>;

/**
 * Commits to the log of a cluster, one commit after another. A change is decided on the replica, made durable by PostgreSQL,
 * then applied here and on every other node.
 */
export class ClusterCommits implements Commits {
  readonly #store: Store;
  readonly #replica: Replica;
  readonly #port: ClusterPort;
  readonly #usage: UsageSharing;
  readonly answerMs: number;
  readonly #requireRoom: RequireRoom;
  #last: Promise<unknown> = Promise.resolve();
  #leftUnderLock = 0;
  /** Whether another node's rows came with the lock that is held for a short change. */
  #isContended = false;

  constructor({ store, replica, port, usage, answerMs, requireRoom }: ClusterCommitsParts) {
    this.#store = store;
    this.#replica = replica;
    this.#port = port;
    this.#usage = usage;
    this.answerMs = answerMs;
    this.#requireRoom = requireRoom;
  }

  commit<T>(run: Run<T>, { isShort = false }: CommitOptions = {}): Promise<Committed<T>> {
    const next = this.#last.then(() => this.#commit(run, isShort));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /**
   * Begins a new history if PostgreSQL has lost a part of the old one: the numbers of lost changes will be given to other
   * changes, so clients must not compare them.
   */
  async beginHistoryIfDue(): Promise<void> {
    // Another loss may follow during the commit.
    while (this.#replica.hasAnotherPast) await this.commit(() => null);
  }

  commitOwn(run: Run<void>): void {
    this.#requireState();
    const counted: EvaluationCount[] = [];
    this.#store.write(
      (transaction) =>
        run({
          ...transaction,
          apply: (changes) => transaction.apply(changes.map((change) => asOwnCount(change, counted))),
        }),
      this.#requireRoom,
    );
    for (const count of counted) this.#usage.note(count);
  }

  #requireState(): void {
    if (this.#replica.isBecoming)
      throw new NotCommittedError('cut-off', 'the replica takes over a newer state');
  }

  async #commit<T>(run: Run<T>, isShort: boolean): Promise<Committed<T>> {
    const task: CommitTask<T> = { run, begunAt: monotonicMs(), isLong: false };
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      // A change that may be long is decided before the lock is requested: the request says whether it is long.
      const isLocked = attempt > 0 || (isShort && this.#leftUnderLock > 0);
      if (isLocked) this.#leftUnderLock = Math.max(0, this.#leftUnderLock - 1);
      const committed = isLocked
        ? await this.#underLock(task, () => this.#decide(task))
        : await this.#decideWithoutLock(task);
      if (committed !== null) return committed;
    }
    throw new NotCommittedError('refused', 'other nodes were faster each time');
  }

  /** A long change is then stored under the lock. It is decided again if another node was faster. */
  async #decideWithoutLock<T>(task: CommitTask<T>): Attempt<T> {
    this.#requireState();
    const begunAt = monotonicMs();
    const { result, row } = this.#replica.decide(task.run);
    task.isLong = monotonicMs() - begunAt > longMs || (row !== null && row.changes.length > longBytes);
    if (row === null) return await this.#verify(result, task, false);
    if (!task.isLong) return await this.#send(result, row, task, false);
    return await this.#underLock(task, () => {
      const isNewest = row.position === this.#replica.place.position + 1;
      return isNewest ? this.#send(result, row, task, true) : this.#decide(task);
    });
  }

  async #underLock<T>({ isLong }: CommitTask<T>, attempt: () => Attempt<T>): Attempt<T> {
    try {
      await this.#lock(isLong);
      return await attempt();
    } catch (fault) {
      await this.#port.ask('unlock', null);
      throw fault;
    }
  }

  async #lock(isLong: boolean): Promise<void> {
    this.#isContended = false;
    for (let page = 0; page < pagesMax; page += 1) {
      this.#requireState();
      const locked = await this.#port.ask('lock', { position: this.#replica.place.position, isLong });
      if ('message' in locked) throw new NotCommittedError(locked.kind, locked.message, locked);
      this.#followOthers(locked.rows);
      this.#isContended ||= locked.rows.length > 0 && !isLong;
      if (locked.kind === 'locked') return;
    }
    throw new NotCommittedError('cut-off', 'this node is too far behind to change anything');
  }

  /** Under the lock. */
  async #decide<T>(task: CommitTask<T>): Attempt<T> {
    // A takeover may have begun while the lock was requested.
    this.#requireState();
    const { result, row } = this.#replica.decide(task.run);
    return row === null ? this.#verify(result, task, true) : this.#send(result, row, task, true);
  }

  /** Nothing changes. Verifies that this was decided on the newest state, and waits until all nodes have that state. */
  async #verify<T>(result: T, task: CommitTask<T>, isLocked: boolean): Attempt<T> {
    const { position } = this.#replica.place;
    const verified = await this.#port.ask('verify', { position });
    if (isLocked) await this.#port.ask('unlock', null);
    if ('message' in verified) throw new NotCommittedError(verified.kind, verified.message, verified);
    if (verified.kind === 'behind') {
      this.#followOthers(verified.rows);
      return null;
    }
    return { result, isStored: false, confirmed: this.#confirm(position, verified.losses, task) };
  }

  async #send<T>(result: T, row: DecidedRow, task: CommitTask<T>, isLocked: boolean): Attempt<T> {
    const { previous, position, node, batch, format, checksum } = row;
    const changes = ownMemory(row.changes);
    const message = { position, node, batch, format, changes, checksum: new Uint8Array(checksum) };
    const sent = { row: message, previous: new Uint8Array(previous), isLocked };
    const outcome = await this.#port.ask('commit', sent);
    if (outcome.kind === 'committed') {
      if (isLocked && this.#isContended) this.#leftUnderLock = attemptsUnderLock;
      // The cluster's thread may have delivered it already, as a row of the log.
      this.#followOwn(row);
      // A new history that is due is stored with any decision, also with one that changes nothing.
      const isStored = !row.content.writes.every(isOfHistory);
      return { result, isStored, confirmed: this.#confirm(position, outcome.losses, task) };
    }
    if (outcome.kind === 'lost') {
      this.#leftUnderLock = attemptsUnderLock;
      return null;
    }
    throw new NotCommittedError(outcome.kind, outcome.message, outcome);
  }

  /** The change is stored. So a failure here must not be answered as "nothing was applied". */
  #followOwn(row: ReplicaRow): void {
    try {
      this.#follow([row]);
    } catch (cause) {
      throw new NotCommittedError('unknown', storedNotApplied, { cause });
    }
    if (!this.#hasReached(row.position)) throw new NotCommittedError('unknown', storedNotApplied);
  }

  #hasReached(position: number): boolean {
    return this.#replica.place.position >= position;
  }

  /** @throws NotCommittedError when they are not applied: PostgreSQL would refuse any decision on the old state */
  #followOthers(rows: readonly RowMessage[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#follow(rows);
    if (!this.#hasReached(last.position))
      throw new NotCommittedError('cut-off', 'what other nodes have changed cannot be applied here yet');
    void this.#port.ask('applied', this.#placeMessage).catch(() => undefined);
  }

  get #placeMessage(): ReplicaPlace {
    const { position, checksum } = this.#replica.place;
    return { position, checksum: new Uint8Array(checksum) };
  }

  /** The cluster's thread fetches rows again that cannot be applied now. It also repairs a replica that has diverged. */
  #follow(rows: readonly (RowMessage | ReplicaRow)[]): void {
    if (this.#replica.isBecoming) return;
    try {
      this.#replica.follow(rows.map(toLogRow));
    } catch (fault) {
      if (fault instanceof NoRoomError) throw new NotCommittedError('cut-off', fault.message);
      if (!(fault instanceof DivergedError || fault instanceof NewerRowError)) throw fault;
    }
  }

  #confirm(
    position: number,
    losses: number,
    { begunAt, isLong }: CommitTask<unknown>,
  ): Promise<Confirmation> {
    const place = this.#placeMessage;
    return this.#port
      .ask('confirm', { position, losses, since: isLong ? monotonicMs() : begunAt, place })
      .catch(() => 'unconfirmed');
  }
}

const storedNotApplied = 'a change is stored that this node could not apply';

/** Marks a count as this node's own, which is also added to the sum of all nodes. @param counted receives it */
function asOwnCount(change: RecordChange, counted: EvaluationCount[]): RecordChange {
  if (change.kind !== 'evaluation-count') return change;
  counted.push(change.count);
  return { kind: 'own-evaluations', count: change.count };
}

/** A Buffer may be a part of a larger memory, all of which a message would copy. */
function ownMemory(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
