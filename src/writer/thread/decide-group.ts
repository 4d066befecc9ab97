import { forgetOldAnswers, nextProjectToForget } from '../../domain/idempotency/answer-keeping.ts';
import { secondsUntilQuota } from '../../domain/organisation/write-quota.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { touchSession } from '../../domain/session/session-changes.ts';
import { recordDenial } from '../../domain/token/record-denial.ts';
import type { ApiCall } from '../../operations/call.ts';
import { decideWrite } from '../../operations/dispatch.ts';
import type { WriteDecision } from '../../operations/management-operation.ts';
import { createOperationContext, type OperationSettings } from '../../operations/operation-context.ts';
import { writeOperation } from '../../operations/write-operations.ts';
import { DamagedRecordError } from '../../storage/store-error.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { CommitSource } from '../client/writer-metrics-protocol.ts';
import {
  begunCell,
  type WriterCommand,
  type WriterPulse,
  type WriterResult,
  type WriterResults,
} from '../client/writer-protocol.ts';
import { recordUsage } from './commands/record-usage.ts';
import { serveOutbox } from './commands/serve-outbox.ts';
import type { FreeSpace } from './free-space.ts';
import type { WriterMeter } from './writer-meter.ts';

export interface GroupDeciderOptions {
  readonly operations: OperationSettings;
  readonly freeSpace: FreeSpace;
  /** Bytes that tokens may write to an organisation on a UTC day; 0: no quota. */
  readonly writtenBytesPerDayMax: number;
  /** Older audit entries are dropped; 0 keeps all. */
  readonly auditRetentionDays: number;
  readonly pulse: WriterPulse;
  readonly meter: WriterMeter;
  readonly onFault: (fault: unknown, during: string) => void;
}

/** A command of the queue, and the client that has sent it. */
export interface QueuedCommand {
  readonly command: WriterCommand;
  readonly client: CommandClient;
}

/** One of the writer's clients: the main thread, or a worker. */
export interface CommandClient {
  /** See `begunCell`. */
  readonly cells: Int32Array<SharedArrayBuffer>;
  send(results: WriterResults): void;
}

/** The first commands of a queue, decided together. */
export interface Group {
  /** One for each command, in the order of the queue. */
  readonly results: [QueuedCommand, WriterResult][];
  /** Commands that change something. */
  readonly changing: Set<QueuedCommand>;
  /** Commands whose callers already got an answer, because the group took too long. */
  readonly answered: Set<QueuedCommand>;
  hasChanged: boolean;
  hasLetters: boolean;
  source: CommitSource;
}

export function emptyGroup(): Group {
  return {
    results: [],
    changing: new Set(),
    answered: new Set(),
    hasChanged: false,
    hasLetters: false,
    source: 'usage',
  };
}

const dayMs = 24 * 60 * 60 * 1000;
const groupDecisionMsMax = 10;

/** Decides commands within a transaction. Each command sees the changes of those before it. */
export class GroupDecider {
  readonly #options: GroupDeciderOptions;
  readonly #pulse: Int32Array<SharedArrayBuffer>;
  /** The project whose old answers the last commit checked. */
  #forgottenProjectId: string | null = null;

  constructor(options: GroupDeciderOptions) {
    this.#options = options;
    this.#pulse = new Int32Array(options.pulse);
  }

  reportProgress(): void {
    Atomics.add(this.#pulse, 0, 1);
  }

  /** Decides the first commands of a queue. @returns a group of them, whose changes are applied to the transaction */
  decide(queue: readonly QueuedCommand[], sizeMax: number, transaction: WriteTransaction): Group {
    const group = emptyGroup();
    const startedAt = monotonicMs();
    while (group.results.length < Math.min(queue.length, sizeMax)) {
      if (monotonicMs() - startedAt > groupDecisionMsMax) break;
      const queued = queue[group.results.length] as QueuedCommand;
      const { kind: commandKind } = queued.command;
      const [result, changes] = this.#begin(queued, transaction);
      if (changes.length > 0) {
        transaction.apply(changes);
        group.hasChanged = true;
        group.changing.add(queued);
        if (commandKind !== 'usage' && commandKind !== 'outbox') group.source = 'api';
        group.hasLetters ||= changes.some(({ kind }) => kind === 'outbox');
      }
      group.results.push([queued, result]);
    }
    if (group.hasChanged) transaction.apply(this.#oldAnswers(transaction));
    if (group.hasChanged) this.#dropOldEntries(transaction);
    return group;
  }

  /** Each commit forgets a bounded number of old kept answers, of one project. It leaves answers that cannot be read. */
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

  /** Each commit drops a bounded number of old audit entries. It leaves entries that cannot be read. */
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

  #begin(
    { command, client }: QueuedCommand,
    transaction: WriteTransaction,
  ): readonly [WriterResult, readonly RecordChange[]] {
    // Stored before the deadline is checked: so a client that finds a command past its deadline and not begun knows that it
    // never will be. A command that is decided again does not lower the cell.
    const begun = Atomics.load(client.cells, begunCell);
    if (((command.ticket - begun) | 0) > 0) Atomics.store(client.cells, begunCell, command.ticket | 0);
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
      // A mail that was sent must leave the outbox, or it would be sent again.
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

  /** The caller still gets the refusal. Its record is lost, which is logged (decisions, tokens). */
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
      const { changes, page, isTaken } = serveOutbox(queries, command.command, Date.now());
      if (isTaken === true) return [{ kind: 'taken' }, changes];
      return [page === null ? { kind: 'recorded' } : { kind: 'letters', page }, changes];
    }
    if (command.kind === 'usage') return [{ kind: 'recorded' }, recordUsage(queries, command.usage)];
    const { answer, changes } = this.#answer(command.call, queries);
    return [{ kind: 'answered', answer }, changes];
  }

  #answer(call: ApiCall, queries: RecordQueries): WriteDecision {
    const context = createOperationContext(this.#options.operations);
    return decideWrite(queries, writeOperation(call.operation), call, context);
  }
}
