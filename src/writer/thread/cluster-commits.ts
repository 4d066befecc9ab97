import type {
  ClusterCalls,
  Confirmation,
  PlaceMessage,
  ReplicaCalls,
  RowMessage,
} from '../../cluster/client/replica-protocol.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import { NewerRowError, type ReplicaRow } from '../../storage/replica/log-row.ts';
import { type DecidedRow, DivergedError, isOfHistory, type Replica } from '../../storage/replica/replica.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { PortCalls } from '../../support/port-calls.ts';
import { type CommitOptions, type Commits, type Committed, NotCommittedError } from './commits.ts';
import { NoRoomError } from './free-space.ts';
import { toLogRow } from './replica-handlers.ts';
import type { UsageSharing } from './usage-sharing.ts';

/** What the writer's thread holds of the cluster's. */
export type ClusterPort = PortCalls<ClusterCalls, ReplicaCalls>;

/**
 * After a commit that another node was faster than, so many attempts are decided under the cluster's lock, short ones the
 * first time, and as many again after each commit whose lock has brought another node's row: where several nodes write all
 * the time, what is decided without it is mostly decided in vain.
 */
const attemptsUnderLock = 16;
/** How often it is tried at all. Under the lock nobody is faster, so the second attempt is the last but for faults. */
const attemptsMax = 8;

/** Pages of the log that a writer applies before it has the lock: it is that far behind only after it was away. */
const pagesMax = 200;
/** What is longer, or took longer to decide, is stored under the lock at once: others would be faster each time. */
const longBytes = 1024 * 1024;
const longMs = 100;

export interface ClusterCommitsParts {
  readonly store: Store;
  readonly replica: Replica;
  readonly port: ClusterPort;
  readonly usage: UsageSharing;
  /** A change that is begun is answered in this time, whatever becomes of it. */
  readonly answerMs: number;
  /** As for `Store.write`: for what this node counts. */
  readonly requireRoom: RequireRoom;
}

/** One call of `commit`, over all its attempts. */
interface Turn<T> {
  readonly run: Run<T>;
  /** On the monotonic clock. */
  readonly begunAt: number;
  /** It was long once, so it will be again: PostgreSQL is told so with the lock, and its wait counts from when it is stored. */
  isLong: boolean;
}

type Run<T> = (transaction: WriteTransaction) => T;
/** Null: it was not committed, and is to be decided again on the newest state. */
type Attempt<T> = Promise<Committed<T> | null>;

/**
 * Commits to the log of a cluster: decided on the replica, made durable by PostgreSQL, then applied here as on every other
 * node. One after another.
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
  /** Whether the lock that is held, of short changes, has brought another node's row. */
  #isContended = false;

  constructor({ store, replica, port, usage, answerMs, requireRoom }: ClusterCommitsParts) {
    this.#store = store;
    this.#replica = replica;
    this.#port = port;
    this.#usage = usage;
    this.answerMs = answerMs;
    this.#requireRoom = requireRoom;
  }

  /** A node that has no room for what it decides falls behind, and says so: others have room. */
  commit<T>(run: Run<T>, { isShort = false }: CommitOptions = {}): Promise<Committed<T>> {
    const next = this.#last.then(() => this.#commit(run, isShort));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** After PostgreSQL has lost a part of the history: what clients know of numbers of changes is not true of those to come. */
  async beginHistoryIfDue(): Promise<void> {
    // Another one may be taken over meanwhile.
    while (this.#replica.hasAnotherPast) await this.commit(() => null);
  }

  commitOwn(run: Run<void>): void {
    this.#requireState();
    const counted: EvaluationCount[] = [];
    this.#store.write(
      (transaction) =>
        run({
          ...transaction,
          apply: (changes) => transaction.apply(changes.map((change) => asOwnShare(change, counted))),
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
    const turn: Turn<T> = { run, begunAt: monotonicMs(), isLong: false };
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      // What may take long is decided before the lock is taken, which says for how long it is needed.
      const isLocked = attempt > 0 || (isShort && this.#leftUnderLock > 0);
      if (isLocked) this.#leftUnderLock = Math.max(0, this.#leftUnderLock - 1);
      const committed = isLocked
        ? await this.#underLock(turn, () => this.#decide(turn))
        : await this.#decideAlone(turn);
      if (committed !== null) return committed;
    }
    throw new NotCommittedError('refused', 'other nodes were faster each time');
  }

  /** Without the lock, unless it is long: then it is stored under the lock as it is, or decided again where others were faster. */
  async #decideAlone<T>(turn: Turn<T>): Attempt<T> {
    this.#requireState();
    const begunAt = monotonicMs();
    const { result, row } = this.#replica.decide(turn.run);
    turn.isLong = monotonicMs() - begunAt > longMs || (row !== null && row.changes.length > longBytes);
    if (row === null) return await this.#verify(result, turn, false);
    if (!turn.isLong) return await this.#send(result, row, turn, false);
    return await this.#underLock(turn, () => {
      const isNewest = row.position === this.#replica.place.position + 1;
      return isNewest ? this.#send(result, row, turn, true) : this.#decide(turn);
    });
  }

  async #underLock<T>({ isLong }: Turn<T>, attempt: () => Attempt<T>): Attempt<T> {
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
  async #decide<T>(turn: Turn<T>): Attempt<T> {
    // It may have begun while another node was asked.
    this.#requireState();
    const { result, row } = this.#replica.decide(turn.run);
    return row === null ? this.#verify(result, turn, true) : this.#send(result, row, turn, true);
  }

  /** Nothing changes; but that was said of a state that must be the newest, and that others must have. */
  async #verify<T>(result: T, turn: Turn<T>, isLocked: boolean): Attempt<T> {
    const { position } = this.#replica.place;
    const verified = await this.#port.ask('verify', { position });
    if (isLocked) await this.#port.ask('unlock', null);
    if ('message' in verified) throw new NotCommittedError(verified.kind, verified.message, verified);
    if (verified.kind === 'behind') {
      this.#followOthers(verified.rows);
      return null;
    }
    return { result, isStored: false, confirmed: this.#confirm(position, verified.losses, turn) };
  }

  async #send<T>(result: T, row: DecidedRow, turn: Turn<T>, isLocked: boolean): Attempt<T> {
    const { previous, position, node, batch, format, checksum } = row;
    const changes = ownMemory(row.changes);
    const message = { position, node, batch, format, changes, checksum: new Uint8Array(checksum) };
    const sent = { row: message, previous: new Uint8Array(previous), isLocked };
    const outcome = await this.#port.ask('commit', sent);
    if (outcome.kind === 'committed') {
      if (isLocked && this.#isContended) this.#leftUnderLock = attemptsUnderLock;
      // The cluster's thread may have had it applied already, as a row like any other.
      this.#followOwn(row);
      // A history that was due comes with whatever is decided, also where that changes nothing.
      const isStored = !row.content.writes.every(isOfHistory);
      return { result, isStored, confirmed: this.#confirm(position, outcome.losses, turn) };
    }
    if (outcome.kind === 'lost') {
      this.#leftUnderLock = attemptsUnderLock;
      return null;
    }
    throw new NotCommittedError(outcome.kind, outcome.message, outcome);
  }

  /** What fails here has failed after it was stored: nobody may be told that nothing was. */
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

  /** @throws NotCommittedError when they are not applied: on the state of before, nothing can be decided that is stored */
  #followOthers(rows: readonly RowMessage[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#follow(rows);
    if (!this.#hasReached(last.position))
      throw new NotCommittedError('cut-off', 'what other nodes have changed cannot be applied here yet');
    void this.#port.ask('applied', this.#placeMessage).catch(() => undefined);
  }

  get #placeMessage(): PlaceMessage {
    const { position, checksum } = this.#replica.place;
    return { position, checksum: new Uint8Array(checksum) };
  }

  /** What cannot be applied now is fetched again by the cluster's thread, which also mends a replica that has diverged. */
  #follow(rows: readonly (RowMessage | ReplicaRow)[]): void {
    if (this.#replica.isBecoming) return;
    try {
      this.#replica.follow(rows.map(toLogRow));
    } catch (fault) {
      if (fault instanceof NoRoomError) throw new NotCommittedError('cut-off', fault.message);
      if (!(fault instanceof DivergedError || fault instanceof NewerRowError)) throw fault;
    }
  }

  #confirm(position: number, losses: number, { begunAt, isLong }: Turn<unknown>): Promise<Confirmation> {
    const place = this.#placeMessage;
    return this.#port
      .ask('confirm', { position, losses, since: isLong ? monotonicMs() : begunAt, place })
      .catch(() => 'unconfirmed');
  }
}

const storedNotApplied = 'a change is stored that this node could not apply';

/** What this node has counted is its own share, and of the sums of all nodes. @param counted receives it */
function asOwnShare(change: RecordChange, counted: EvaluationCount[]): RecordChange {
  if (change.kind !== 'evaluation-count') return change;
  counted.push(change.count);
  return { kind: 'own-evaluations', count: change.count };
}

/** Of a Buffer that shares its memory with others, cloning would take all of that along. */
function ownMemory(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
