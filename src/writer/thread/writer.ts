import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import { DataFileUnavailableError } from '../../storage/store-error.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { WriterCommand, WriterResult } from '../client/writer-protocol.ts';
import { type Commits, type Committed, NotCommittedError } from './commits.ts';
import {
  emptyGroup,
  type Group,
  GroupDecider,
  type GroupDeciderOptions,
  type QueuedCommand,
} from './decide-group.ts';

export interface WriterOptions extends GroupDeciderOptions {
  /** The most commands of one commit. */
  readonly groupSizeMax: number;
  /** The results of a commit, once it is durable. */
  readonly onResults: (results: readonly (readonly [QueuedCommand, WriterResult])[]) => void;
  /** A commit has put something into the outbox. */
  readonly onOutboxGrew: () => void;
  /** A change was applied again after the data file was not available. */
  readonly onFileBack: () => void;
  /** The store failed in a way that only a restart repairs. */
  readonly onFatal: (fault: unknown) => void;
}

/**
 * Applies every change, one after another. Commands that arrive during a commit share the next one. The commands of a group
 * are decided in the order of arrival, see each other's effects, and are acknowledged together.
 */
export class Writer {
  readonly #commits: Commits;
  readonly #options: WriterOptions;
  readonly #decider: GroupDecider;
  /** In the order of arrival. Each client bounds what it sends. */
  readonly #queue: QueuedCommand[] = [];
  #isScheduled = false;
  /** The commit that waits for the cluster; null: none. */
  #pending: Promise<void> | null = null;
  #isFileUnavailable = false;
  /** The store has failed. Nothing is begun any more: the callers of waiting commands learn that they were not applied. */
  #isOver = false;

  constructor(commits: Commits, options: WriterOptions) {
    this.#commits = commits;
    this.#options = options;
    this.#decider = new GroupDecider(options);
  }

  submit(commands: readonly QueuedCommand[]): void {
    for (const queued of commands) {
      if (this.#commits.commitOwn !== null && isOwn(queued.command)) this.#commitOwn(queued);
      else this.#queue.push(queued);
    }
    this.#schedule();
  }

  /** Commits all waiting commands; without a cluster, before the first await. */
  async drain(): Promise<void> {
    while (this.#pending !== null || this.#hasWork) {
      const pending = this.#pending ?? this.#commitGroup();
      if (pending !== null) await pending;
    }
  }

  get #hasWork(): boolean {
    return !this.#isOver && this.#queue.length > 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#hasWork && this.#pending === null) void this.#commitGroup();
      if (this.#hasWork && this.#pending === null) this.#schedule();
    });
  }

  reportProgress(): void {
    this.#decider.reportProgress();
  }

  /** Commits counts of this node alone, which need no other node. */
  #commitOwn(queued: QueuedCommand): void {
    const queue = [queued];
    const begunAt = monotonicMs();
    let group = emptyGroup();
    try {
      this.#commits.commitOwn?.((transaction) => {
        group = this.#decider.decide(queue, 1, transaction);
      });
      this.#finishGroup(queue, group, begunAt, null);
    } catch (fault) {
      this.#failGroup(fault, queue, group);
    }
  }

  /** @returns null when it is committed, or has failed, already */
  #commitGroup(): Promise<void> | null {
    const queue = this.#queue;
    const { groupSizeMax } = this.#options;
    const begunAt = monotonicMs();
    let group = emptyGroup();
    const overdue = new Overdue(this.#commits.answerMs, () => this.#answerUnknown(group));
    try {
      const decide = (transaction: WriteTransaction): void => {
        group = { ...this.#decider.decide(queue, groupSizeMax, transaction), answered: group.answered };
        overdue.begin();
      };
      const committed = this.#commits.commit(decide, { isShort: true });
      if (committed instanceof Promise) {
        this.#pending = committed
          .finally(() => overdue.end())
          .then(
            ({ confirmed }) => this.#finishGroup(queue, group, begunAt, confirmed),
            (fault: unknown) => this.#failGroup(fault, queue, group),
          )
          .finally(() => {
            this.#pending = null;
            if (this.#hasWork) this.#schedule();
          });
        return this.#pending;
      }
      this.#finishGroup(queue, group, begunAt, null);
    } catch (fault) {
      this.#failGroup(fault, queue, group);
    }
    return null;
  }

  /** The commit takes too long: its callers get `unknown`, and its result is then ignored. */
  #answerUnknown(group: Group): void {
    const results = unanswered(group).map(([queued]) => [queued, { kind: 'unknown' }] as const);
    for (const [queued] of results) group.answered.add(queued);
    if (results.length > 0) this.#options.onResults(results);
  }

  #finishGroup(
    queue: QueuedCommand[],
    group: Group,
    begunAt: number,
    confirmed: Committed<void>['confirmed'],
  ): void {
    const { results } = group;
    this.reportProgress();
    if (group.hasChanged) {
      this.#options.meter.countCommit(group.source, begunAt);
      if (group.hasLetters) this.#options.onOutboxGrew();
    }
    if (this.#isFileUnavailable) this.#options.onFileBack();
    this.#isFileUnavailable = false;
    takeOut(queue, results.length, group.answered);
    this.#options.meter.countGroup(results.length);
    if (confirmed === null) this.#options.onResults(unanswered(group));
    else this.#finishWhenConfirmed(group, confirmed);
  }

  /** Does not hold up the next group: confirmation waits for the slowest node. */
  #finishWhenConfirmed(group: Group, confirmed: Promise<Confirmation>): void {
    const { changing } = group;
    const results = unanswered(group);
    confirmed.then(
      (kind) => {
        if (kind === 'everywhere') this.#options.onResults(results);
        else {
          const instead = (queued: QueuedCommand): WriterResult =>
            changing.has(queued) ? { kind } : { kind: 'dropped' };
          this.#options.onResults(results.map(([queued]) => [queued, instead(queued)] as const));
        }
      },
      (fault: unknown) => this.#options.onFatal(fault),
    );
  }

  /** None of the commands of a failed commit was applied, unless the fault is of kind `unknown`. */
  #failGroup(fault: unknown, queue: QueuedCommand[], { results, answered }: Group): void {
    this.reportProgress();
    // If the transaction could not even begin, the commands that it would have taken fail.
    const taken = results.length === 0 ? Math.min(queue.length, this.#options.groupSizeMax) : results.length;
    const commands = takeOut(queue, taken, answered);
    const isUnavailable = fault instanceof DataFileUnavailableError;
    if (!isUnavailable || !this.#isFileUnavailable) this.#options.onFault(fault, 'commit');
    this.#isFileUnavailable ||= isUnavailable;
    this.#options.meter.countFailedCommit('api');
    const result = resultOfFault(fault);
    this.#options.onResults(
      commands.filter((queued) => !answered.has(queued)).map((queued) => [queued, result] as const),
    );
    this.judgeFault(fault);
  }

  /**
   * Ends the process after a failed write to the disk: lmdb overruns a buffer when it formats the error message
   * (gotchas), also on a full disk. A full map is not fatal, because it fails before anything is written. A fault
   * outside the store concerns one command only.
   */
  judgeFault(thrown: unknown): void {
    const fault = thrown instanceof NotCommittedError ? thrown.cause : thrown;
    const isStoreFault = fault instanceof Error && 'code' in fault && typeof fault.code === 'number';
    if (!isStoreFault || /MDB_MAP_FULL|mapsize limit/i.test(fault.message)) return;
    this.#isOver = true;
    this.#options.onFatal(fault);
  }
}

/**
 * Takes a group's commands out of the queue. A group that is decided again may be smaller. Commands behind it whose callers
 * already got `unknown` are taken out too: they cannot get a second answer.
 */
function takeOut(
  queue: QueuedCommand[],
  count: number,
  answered: Group['answered'],
): readonly QueuedCommand[] {
  const taken = queue.splice(0, count);
  const left = queue.findIndex((queued) => !answered.has(queued));
  queue.splice(0, left === -1 ? queue.length : left);
  return taken;
}

function unanswered({ results, answered }: Group): Group['results'] {
  return answered.size === 0 ? results : results.filter(([queued]) => !answered.has(queued));
}

/** A timer for a group that takes too long after it was begun. */
class Overdue {
  readonly #afterMs: number | null;
  readonly #onOverdue: () => void;
  #timer: NodeJS.Timeout | null = null;

  /** @param afterMs null: never */
  constructor(afterMs: number | null, onOverdue: () => void) {
    this.#afterMs = afterMs;
    this.#onOverdue = onOverdue;
  }

  /** Called at each decision of the group; the first one starts the timer. */
  begin(): void {
    if (this.#afterMs === null || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#onOverdue();
    }, this.#afterMs);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

function resultOfFault(fault: unknown): WriterResult {
  if (fault instanceof DataFileUnavailableError) return { kind: fault.kind };
  if (fault instanceof NotCommittedError) return { kind: fault.kind };
  return { kind: 'failed', message: 'the change could not be written to the disk' };
}

/** Evaluation counts are kept per node. Uses of tokens are records that all nodes share. */
function isOwn(command: WriterCommand): boolean {
  return command.kind === 'usage' && command.usage.uses.length === 0;
}
