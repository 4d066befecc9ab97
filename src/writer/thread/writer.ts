import { forgetOldAnswers, nextProjectToForget } from '../../domain/idempotency/answer-keeping.ts';
import { secondsUntilQuota } from '../../domain/organisation/write-quota.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { touchSession } from '../../domain/session/session-changes.ts';
import { recordDenial } from '../../domain/token/record-denial.ts';
import { answerConsoleWrite } from '../../operations/answer-console-write.ts';
import { answerManagementWrite } from '../../operations/answer-management.ts';
import type { ApiCall } from '../../operations/call.ts';
import { createConsoleContext } from '../../operations/console-context.ts';
import type { ConsoleSettings } from '../../operations/console-settings.ts';
import type { WriteDecision } from '../../operations/management-operation.ts';
import type { Store, WriteTransaction } from '../../storage/store.ts';
import { DamagedRecordError, DataFileUnavailableError } from '../../storage/store-error.ts';
import { assert } from '../../support/assert.ts';
import { hashBytes, hashSecret } from '../../support/hash-secret.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { newId } from '../../support/random-id.ts';
import type { CommitSource } from '../client/writer-metrics-protocol.ts';
import {
  isLarge,
  pulseBegunCell,
  pulseProgressCell,
  unsettledMax,
  type WriterCommand,
  type WriterPulse,
  type WriterResult,
} from '../client/writer-protocol.ts';
import { recordUsage } from './commands/record-usage.ts';
import { serveOutbox } from './commands/serve-outbox.ts';
import type { FreeSpace } from './free-space.ts';
import type { WriterMeter } from './writer-meter.ts';

export interface WriterOptions {
  readonly docsUrl: string;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly freeSpace: FreeSpace;
  /** What tokens may write to an organisation on a UTC day; 0 is no quota. */
  readonly writtenBytesPerDayMax: number;
  /** Audit entries that are older are dropped; 0 keeps them for ever. */
  readonly auditRetentionDays: number;
  /** Commands of one commit, at most. */
  readonly groupSizeMax: number;
  readonly pulse: WriterPulse;
  readonly meter: WriterMeter;
  /** Everything a commit has decided, once it is durable, and whether it left some that waited in the same queue. */
  readonly onResults: (
    results: readonly (readonly [ticket: number, WriterResult])[],
    areMoreWaiting: boolean,
  ) => void;
  /** A commit has put something into the outbox. */
  readonly onOutboxGrew: () => void;
  readonly onFault: (fault: unknown, during: string) => void;
  /** A change was applied again after the data file was not available. */
  readonly onFileBack: () => void;
  /** The store failed in a way that only reopening mends. */
  readonly onFatal: (fault: unknown) => void;
}

const hashes = { hashSecret, hashBytes };
const dayMs = 24 * 60 * 60 * 1000;
const groupDecisionMsMax = 10;

/**
 * Applies every change, one after another. What waits while a commit is on its way to the disk shares the next one: the
 * decisions of a group see each other's effects, in the order of arrival, and are acknowledged together.
 */
export class Writer {
  readonly #store: Store;
  readonly #options: WriterOptions;
  readonly #pulse: Int32Array<SharedArrayBuffer>;
  /** With the large ones, `unsettledMax`: `WriterClient` sends no more. */
  readonly #waiting: WriterCommand[] = [];
  /** Commands with a large body: one at a time, so that nobody waits for the bodies of others. */
  readonly #waitingLarge: WriterCommand[] = [];
  #newestTicket = 0;
  #wasLargeTurn = false;
  /** Whose old answers the last commit has looked at. */
  #forgottenProjectId: string | null = null;
  #isScheduled = false;
  #isFileUnavailable = false;
  /** The store has failed: nothing is begun any more, because its caller is told that it was not. */
  #isOver = false;

  constructor(store: Store, options: WriterOptions) {
    this.#store = store;
    this.#options = options;
    this.#pulse = new Int32Array(options.pulse);
  }

  submit(commands: readonly WriterCommand[]): void {
    for (const command of commands) {
      assert(((command.ticket - this.#newestTicket) | 0) > 0, 'a command comes once, and in its turn');
      this.#newestTicket = command.ticket;
      if (isLarge(command)) this.#waitingLarge.push(command);
      else this.#waiting.push(command);
    }
    const waiting = this.#waiting.length + this.#waitingLarge.length;
    assert(waiting <= unsettledMax, 'no more commands wait than the main thread may send');
    this.#schedule();
  }

  /** Commits everything that waits. */
  drain(): void {
    while (this.#hasWork) this.#commitGroup();
  }

  get #hasWork(): boolean {
    return !this.#isOver && (this.#waiting.length > 0 || this.#waitingLarge.length > 0);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#hasWork) this.#commitGroup();
      if (this.#hasWork) this.#schedule();
    });
  }

  reportProgress(): void {
    Atomics.add(this.#pulse, pulseProgressCell, 1);
  }

  /** Small and large commands take turns, so that neither keeps the other waiting for long. */
  #nextGroup(): { readonly queue: WriterCommand[]; readonly sizeMax: number } {
    const isLargeTurn = this.#waiting.length === 0 || (this.#waitingLarge.length > 0 && !this.#wasLargeTurn);
    this.#wasLargeTurn = isLargeTurn;
    if (isLargeTurn) return { queue: this.#waitingLarge, sizeMax: 1 };
    return { queue: this.#waiting, sizeMax: this.#options.groupSizeMax };
  }

  #commitGroup(): void {
    const { queue, sizeMax } = this.#nextGroup();
    const results: [number, WriterResult][] = [];
    let taken = 0;
    let hasChanged = false;
    let hasLetters = false;
    let source: CommitSource = 'usage';
    const begunAt = monotonicMs();
    try {
      this.#store.write((transaction) => {
        const startedAt = monotonicMs();
        while (taken < Math.min(queue.length, sizeMax)) {
          if (monotonicMs() - startedAt > groupDecisionMsMax) break;
          const command = queue[taken] as WriterCommand;
          taken += 1;
          const [result, changes] = this.#begin(command, transaction);
          if (changes.length > 0) {
            transaction.apply(changes);
            hasChanged = true;
            if (command.kind !== 'usage' && command.kind !== 'outbox') source = 'api';
            hasLetters ||= changes.some(({ kind }) => kind === 'outbox');
          }
          results.push([command.ticket, result]);
        }
        if (hasChanged) transaction.apply(this.#oldAnswers(transaction));
        if (hasChanged) this.#dropOldEntries(transaction);
      });
      if (hasChanged) {
        this.#options.meter.countCommit(source, begunAt);
        if (hasLetters) this.#options.onOutboxGrew();
      }
    } catch (fault) {
      // A transaction that could not even begin has taken none: those that wait for it fail all the same.
      if (taken === 0) taken = Math.min(queue.length, sizeMax);
      this.#failGroup(fault, queue.splice(0, taken), queue.length > 0);
      return;
    } finally {
      this.reportProgress();
    }
    assert(results.length === taken && taken <= sizeMax, 'each command of a group has one result');
    if (this.#isFileUnavailable) this.#options.onFileBack();
    this.#isFileUnavailable = false;
    queue.splice(0, taken);
    this.#options.meter.countGroup(taken);
    this.#options.onResults(results, queue.length > 0);
  }

  /** What a commit forgets of kept answers: a bounded few, of one project each time. What cannot be read is left alone. */
  #oldAnswers({ queries }: WriteTransaction): readonly RecordChange[] {
    try {
      this.#forgottenProjectId = nextProjectToForget(queries, this.#forgottenProjectId);
      if (this.#forgottenProjectId === null) return [];
      return forgetOldAnswers(queries, this.#forgottenProjectId, Date.now());
    } catch (fault) {
      this.#options.onFault(fault, 'forgetting old answers');
      return [];
    }
  }

  /** What a commit drops of the audit log: a bounded few. What cannot be read is left alone. */
  #dropOldEntries(transaction: WriteTransaction): void {
    const { auditRetentionDays } = this.#options;
    if (auditRetentionDays === 0) return;
    try {
      transaction.dropAuditEntries(Date.now() - auditRetentionDays * dayMs);
    } catch (fault) {
      if (!(fault instanceof DamagedRecordError)) throw fault;
      this.#options.onFault(fault, 'dropping old audit entries');
    }
  }

  /** A commit that failed has left nothing behind: none of its commands was applied. */
  #failGroup(fault: unknown, commands: readonly WriterCommand[], areMoreWaiting: boolean): void {
    const isUnavailable = fault instanceof DataFileUnavailableError;
    if (!isUnavailable || !this.#isFileUnavailable) this.#options.onFault(fault, 'commit');
    this.#isFileUnavailable ||= isUnavailable;
    this.#options.meter.countFailedCommit('api');
    const result: WriterResult = isUnavailable
      ? { kind: fault.kind }
      : { kind: 'failed', message: 'the change could not be written to the disk' };
    this.#options.onResults(
      commands.map((command) => [command.ticket, result]),
      areMoreWaiting,
    );
    this.judgeFault(fault);
  }

  /**
   * After a failure of the disk only a new process helps: lmdb overruns a buffer when it words the failure of a write
   * (gotchas), a full disk's too. A full map fails before anything is written, and what is not the store's is a fault of
   * one command.
   */
  judgeFault(fault: unknown): void {
    const isStoreFault = fault instanceof Error && 'code' in fault && typeof fault.code === 'number';
    if (!isStoreFault || /MDB_MAP_FULL|mapsize limit/i.test(fault.message)) return;
    this.#isOver = true;
    this.#options.onFatal(fault);
  }

  #begin(
    command: WriterCommand,
    transaction: WriteTransaction,
  ): readonly [WriterResult, readonly RecordChange[]] {
    // Said before the deadline is looked at: a reader that sees an unbegun command past its deadline knows it never will be.
    // Commands with large bodies are begun out of turn, so the cell only ever rises.
    const begun = Atomics.load(this.#pulse, pulseBegunCell);
    if (((command.ticket - begun) | 0) > 0) Atomics.store(this.#pulse, pulseBegunCell, command.ticket | 0);
    this.reportProgress();
    if (monotonicMs() > command.deadline) return [{ kind: 'dropped' }, []];
    try {
      const [result, changes] = this.#decide(command, transaction);
      const { writtenBytesPerDayMax, meter } = this.#options;
      const retryAfter = secondsUntilQuota(changes, writtenBytesPerDayMax, transaction.writtenBytesOn);
      if (retryAfter !== null) {
        meter.countQuotaRefusal();
        return [{ kind: 'quota-reached', retryAfter }, []];
      }
      // What was mailed must not stay in the outbox, or it would be mailed again.
      const isAlways = command.kind === 'outbox';
      if (changes.length > 0 && !isAlways && this.#options.freeSpace.isLow())
        return [this.#withoutSpace(result), []];
      return [result, changes];
    } catch (fault) {
      const isConsole = command.kind === 'write' && command.call.api === 'console';
      this.#options.onFault(fault, isConsole ? 'console-write' : command.kind);
      return [{ kind: 'failed', message: 'the change failed unexpectedly' }, []];
    }
  }

  /** A refusal is given all the same: only its record is lost, and that is logged (decisions, tokens). */
  #withoutSpace(result: WriterResult): WriterResult {
    const isRefusal = result.kind === 'answered' && result.answer.status >= 400;
    if (!isRefusal) return { kind: 'storage-full' };
    this.#options.onFault(new Error('the disk is almost full: a denial was not recorded'), 'denial');
    return result;
  }

  #decide(
    command: WriterCommand,
    { queries }: WriteTransaction,
  ): readonly [WriterResult, readonly RecordChange[]] {
    if (command.kind === 'denial') {
      const token = queries.token(command.denial.tokenId);
      return [{ kind: 'recorded' }, token === undefined ? [] : recordDenial(token, command.denial)];
    }
    if (command.kind === 'touch-session') {
      return [{ kind: 'recorded' }, touchSession(queries, command.sessionId, Date.now())];
    }
    if (command.kind === 'outbox') {
      const { changes, page } = serveOutbox(queries, command.command, Date.now());
      return [page === null ? { kind: 'recorded' } : { kind: 'letters', page }, changes];
    }
    if (command.kind === 'usage') return [{ kind: 'recorded' }, recordUsage(queries, command.usage)];
    const { answer, changes } = this.#answer(command.call, queries);
    return [{ kind: 'answered', answer }, changes];
  }

  #answer(call: ApiCall, queries: RecordQueries): WriteDecision {
    if (call.api === 'console') {
      return answerConsoleWrite(queries, call, createConsoleContext(this.#options.console));
    }
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    const context = { now: Date.now(), newId, docsUrl, acceptedPrefixes: tokenPrefixesAccepted, ...hashes };
    return answerManagementWrite(queries, call, context);
  }
}
