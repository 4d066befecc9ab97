import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import { DataFileUnavailableError } from '../../storage/store-error.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { turnOf, unsettledMax, type WriterCommand, type WriterResult } from '../client/writer-protocol.ts';
import { AccountTurns } from './account-turns.ts';
import { type Commits, type Committed, NotCommittedError } from './commits.ts';
import { emptyGroup, type Group, GroupDecider, type GroupDeciderOptions } from './decide-group.ts';

export interface WriterOptions extends GroupDeciderOptions {
  /** Commands of one commit, at most. */
  readonly groupSizeMax: number;
  /** Everything a commit has decided, once it is durable, and whether it left some that waited in the same queue. */
  readonly onResults: (
    results: readonly (readonly [ticket: number, WriterResult])[],
    areMoreWaiting: boolean,
  ) => void;
  /** A commit has put something into the outbox. */
  readonly onOutboxGrew: () => void;
  /** A change was applied again after the data file was not available. */
  readonly onFileBack: () => void;
  /** The store failed in a way that only reopening mends. */
  readonly onFatal: (fault: unknown) => void;
}

/**
 * Applies every change, one after another. What waits while a commit is on its way to the disk shares the next one: the
 * decisions of a group see each other's effects, in the order of arrival, and are acknowledged together.
 */
export class Writer {
  readonly #commits: Commits;
  readonly #options: WriterOptions;
  readonly #decider: GroupDecider;
  /** With the long ones, `unsettledMax`: `WriterClient` sends no more. */
  readonly #waiting: WriterCommand[] = [];
  /** Commands that take long: one at a time, so that nobody waits for several. Accounts take turns. */
  readonly #waitingLong = new AccountTurns();
  #newestTicket = 0;
  #wasLongTurn = false;
  #isScheduled = false;
  /** The commit that is on its way to others; null where there is none. */
  #pending: Promise<void> | null = null;
  #isFileUnavailable = false;
  /** The store has failed: nothing is begun any more, because its caller is told that it was not. */
  #isOver = false;

  constructor(commits: Commits, options: WriterOptions) {
    this.#commits = commits;
    this.#options = options;
    this.#decider = new GroupDecider(options);
  }

  submit(commands: readonly WriterCommand[]): void {
    for (const command of commands) {
      assert(((command.ticket - this.#newestTicket) | 0) > 0, 'a command comes once, and in its turn');
      this.#newestTicket = command.ticket;
      if (this.#commits.commitOwn !== null && isOwn(command)) this.#commitOwn(command);
      else if (turnOf(command) !== undefined) this.#waitingLong.push(command);
      else this.#waiting.push(command);
    }
    const waiting = this.#waiting.length + this.#waitingLong.length;
    // Those of the group under way that were told already count no more for the main thread.
    const waitingMax = unsettledMax + this.#options.groupSizeMax;
    assert(waiting <= waitingMax, 'no more commands wait than the main thread may send');
    this.#schedule();
  }

  /** Commits everything that waits: before it returns, where that needs nobody else. */
  async drain(): Promise<void> {
    while (this.#pending !== null || this.#hasWork) {
      const pending = this.#pending ?? this.#commitGroup();
      if (pending !== null) await pending;
    }
  }

  get #hasWork(): boolean {
    return !this.#isOver && (this.#waiting.length > 0 || this.#waitingLong.length > 0);
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

  /** Short and long commands take turns, so that neither keeps the other waiting for long. */
  #nextGroup(): { readonly queue: WriterCommand[]; readonly sizeMax: number; readonly isShort: boolean } {
    const isLongTurn = this.#waiting.length === 0 || (this.#waitingLong.length > 0 && !this.#wasLongTurn);
    this.#wasLongTurn = isLongTurn;
    if (isLongTurn) return { queue: this.#waitingLong.nextFirst(), sizeMax: 1, isShort: false };
    return { queue: this.#waiting, sizeMax: this.#options.groupSizeMax, isShort: true };
  }

  /** What this node has counted: it waits for nobody. */
  #commitOwn(command: WriterCommand): void {
    const queue = [command];
    const begunAt = monotonicMs();
    let group = emptyGroup();
    try {
      this.#commits.commitOwn?.((transaction) => {
        group = this.#decider.decide(queue, 1, transaction);
      });
      this.#finishGroup(queue, group, begunAt, null);
    } catch (fault) {
      this.#failGroup(fault, queue, group, 1);
    }
  }

  /** @returns null when it is committed, or has failed, already */
  #commitGroup(): Promise<void> | null {
    const { queue, sizeMax, isShort } = this.#nextGroup();
    const begunAt = monotonicMs();
    let group = emptyGroup();
    const overdue = new Overdue(this.#commits.answerMs, () => this.#tellUnknown(group, queue));
    try {
      const decide = (transaction: WriteTransaction): void => {
        group = { ...this.#decider.decide(queue, sizeMax, transaction), told: group.told };
        overdue.begin();
      };
      const committed = this.#commits.commit(decide, { isShort });
      if (committed instanceof Promise) {
        this.#pending = committed
          .finally(() => overdue.end())
          .then(
            ({ confirmed }) => this.#finishGroup(queue, group, begunAt, confirmed),
            (fault: unknown) => this.#failGroup(fault, queue, group, sizeMax),
          )
          .finally(() => {
            this.#pending = null;
            if (this.#hasWork) this.#schedule();
          });
        return this.#pending;
      }
      this.#finishGroup(queue, group, begunAt, null);
    } catch (fault) {
      this.#failGroup(fault, queue, group, sizeMax);
    }
    return null;
  }

  /** The record of the cluster takes too long: what becomes of the group is not awaited by those who asked for it. */
  #tellUnknown(group: Group, queue: readonly WriterCommand[]): void {
    const results = untold(group).map(([ticket]) => [ticket, { kind: 'unknown' }] as const);
    for (const [ticket] of results) group.told.add(ticket);
    if (results.length > 0) this.#options.onResults(results, queue.length > group.results.length);
  }

  #finishGroup(
    queue: WriterCommand[],
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
    takeOut(queue, results.length, group.told);
    this.#options.meter.countGroup(results.length);
    const areMoreWaiting = queue.length > 0;
    if (confirmed === null) this.#options.onResults(untold(group), areMoreWaiting);
    else this.#finishWhenConfirmed(group, areMoreWaiting, confirmed);
  }

  /** The next group need not wait for the slowest node. */
  #finishWhenConfirmed(group: Group, areMoreWaiting: boolean, confirmed: Promise<Confirmation>): void {
    const { changing } = group;
    const results = untold(group);
    confirmed.then(
      (kind) => {
        const instead = (ticket: number): WriterResult =>
          kind === 'everywhere' || !changing.has(ticket) ? { kind: 'dropped' } : { kind };
        const told =
          kind === 'everywhere' ? results : results.map(([ticket]) => [ticket, instead(ticket)] as const);
        this.#options.onResults(told, areMoreWaiting);
      },
      (fault: unknown) => this.#options.onFatal(fault),
    );
  }

  /** A commit that failed has left nothing behind: none of its commands was applied, unless it says that nobody knows. */
  #failGroup(fault: unknown, queue: WriterCommand[], { results, told }: Group, sizeMax: number): void {
    this.reportProgress();
    // A transaction that could not even begin has taken none: those that wait for it fail all the same.
    const taken = results.length === 0 ? Math.min(queue.length, sizeMax) : results.length;
    const commands = takeOut(queue, taken, told);
    const areMoreWaiting = queue.length > 0;
    const isUnavailable = fault instanceof DataFileUnavailableError;
    if (!isUnavailable || !this.#isFileUnavailable) this.#options.onFault(fault, 'commit');
    this.#isFileUnavailable ||= isUnavailable;
    this.#options.meter.countFailedCommit('api');
    const result = resultOfFault(fault);
    this.#options.onResults(
      commands.filter(({ ticket }) => !told.has(ticket)).map(({ ticket }) => [ticket, result]),
      areMoreWaiting,
    );
    this.judgeFault(fault);
  }

  /**
   * After a failure of the disk only a new process helps: lmdb overruns a buffer when it words the failure of a write
   * (gotchas), a full disk's too. A full map fails before anything is written, and what is not the store's is a fault of
   * one command.
   */
  judgeFault(told: unknown): void {
    const fault = told instanceof NotCommittedError ? told.cause : told;
    const isStoreFault = fault instanceof Error && 'code' in fault && typeof fault.code === 'number';
    if (!isStoreFault || /MDB_MAP_FULL|mapsize limit/i.test(fault.message)) return;
    this.#isOver = true;
    this.#options.onFatal(fault);
  }
}

/**
 * Takes a group's commands out of their queue. Decided a second time, a group may be smaller than the one whose callers were
 * told that nobody knows: those that follow it and were told are dropped, for they can be told nothing else.
 */
function takeOut(queue: WriterCommand[], count: number, told: Group['told']): readonly WriterCommand[] {
  const taken = queue.splice(0, count);
  const left = queue.findIndex(({ ticket }) => !told.has(ticket));
  queue.splice(0, left === -1 ? queue.length : left);
  return taken;
}

function untold({ results, told }: Group): Group['results'] {
  return told.size === 0 ? results : results.filter(([ticket]) => !told.has(ticket));
}

/** Tells those who wait for a group, once it was begun, when it takes too long. */
class Overdue {
  readonly #afterMs: number | null;
  readonly #onOverdue: () => void;
  #timer: NodeJS.Timeout | null = null;

  /** @param afterMs null: never */
  constructor(afterMs: number | null, onOverdue: () => void) {
    this.#afterMs = afterMs;
    this.#onOverdue = onOverdue;
  }

  /** Commands are decided; those that join a group which is decided again are told together with the others. */
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

/** Counts alone are a node's own; uses of tokens are records that all nodes share. */
function isOwn(command: WriterCommand): boolean {
  return command.kind === 'usage' && command.usage.uses.length === 0;
}
