import type { RecordChange } from '../domain/record-change.ts';
import { recordDenial } from '../domain/token/record-denial.ts';
import type { Store, WriteTransaction } from '../storage/store.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { newId } from '../support/random-id.ts';
import { answerManagementWrite } from './commands/answer-write.ts';
import type { FreeSpace } from './free-space.ts';
import {
  pulseBegunCell,
  pulseProgressCell,
  type WriterPulse,
  type WriterRequest,
  type WriterResult,
} from './writer-protocol.ts';

export type WriterCommand = Exclude<WriterRequest, { kind: 'stop' }>;

export interface WriterOptions {
  readonly docsUrl: string;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly freeSpace: FreeSpace;
  readonly pulse: WriterPulse;
  /** Raised after each commit that changed something, before anybody is told. */
  readonly storeVersion: SharedArrayBuffer;
  /** Everything a commit has decided, once it is durable. */
  readonly onResults: (results: readonly (readonly [ticket: number, WriterResult])[]) => void;
  readonly onFault: (fault: unknown, during: string) => void;
  /** The store failed in a way that only reopening mends. */
  readonly onFatal: (fault: unknown) => void;
}

/** Commands of one commit: bounded, so that the first does not wait for the thousandth. */
const groupSizeMax = 256;
const groupDecisionMsMax = 10;

/**
 * Applies every change, one after another. What waits while a commit is on its way to the disk shares the next one: the
 * decisions of a group see each other's effects, in the order of arrival, and are acknowledged together.
 */
export class Writer {
  readonly #store: Store;
  readonly #options: WriterOptions;
  readonly #pulse: Int32Array<SharedArrayBuffer>;
  readonly #version: Int32Array<SharedArrayBuffer>;
  /** Bounded by the gateway's in-flight limit. */
  #waiting: WriterCommand[] = [];
  #isScheduled = false;

  constructor(store: Store, options: WriterOptions) {
    this.#store = store;
    this.#options = options;
    this.#pulse = new Int32Array(options.pulse);
    this.#version = new Int32Array(options.storeVersion);
  }

  submit(command: WriterCommand): void {
    this.#waiting.push(command);
    this.#schedule();
  }

  /** Commits everything that waits. */
  drain(): void {
    while (this.#waiting.length > 0) this.#commitGroup();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#commitGroup();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** Announces a commit to the evaluators. Called after it is durable and before it is acknowledged. */
  announceCommit(): void {
    Atomics.add(this.#version, 0, 1);
  }

  reportProgress(): void {
    Atomics.add(this.#pulse, pulseProgressCell, 1);
  }

  #commitGroup(): void {
    const results: [number, WriterResult][] = [];
    let taken = 0;
    let hasChanged = false;
    try {
      this.#store.write((transaction) => {
        const startedAt = monotonicMs();
        while (taken < Math.min(this.#waiting.length, groupSizeMax)) {
          if (monotonicMs() - startedAt > groupDecisionMsMax) break;
          const command = this.#waiting[taken] as WriterCommand;
          taken += 1;
          const [result, changes] = this.#begin(command, transaction);
          if (changes.length > 0) {
            transaction.apply(changes);
            hasChanged = true;
          }
          results.push([command.ticket, result]);
        }
      });
      if (hasChanged) this.announceCommit();
    } catch (fault) {
      // A transaction that could not even begin has taken none: those that wait for it fail all the same.
      if (taken === 0) taken = Math.min(this.#waiting.length, groupSizeMax);
      this.#failGroup(fault, taken);
      return;
    } finally {
      this.#waiting = this.#waiting.slice(taken);
      this.reportProgress();
    }
    this.#options.onResults(results);
  }

  /** A commit that failed has left nothing behind: none of its commands was applied. */
  #failGroup(fault: unknown, taken: number): void {
    this.#options.onFault(fault, 'commit');
    const result: WriterResult = { kind: 'failed', message: 'the change could not be written to the disk' };
    this.#options.onResults(this.#waiting.slice(0, taken).map((command) => [command.ticket, result]));
    this.judgeFault(fault);
  }

  /**
   * After a write that failed for want of space the store goes on; after any other failure of the disk, only reopening it
   * helps. What is not the disk's is a fault of one command.
   */
  judgeFault(fault: unknown): void {
    const isStoreFault = fault instanceof Error && 'code' in fault && typeof fault.code === 'number';
    if (isStoreFault && !isDiskFull(fault) && !this.#options.freeSpace.isExhausted()) {
      this.#options.onFatal(fault);
    }
  }

  #begin(
    command: WriterCommand,
    transaction: WriteTransaction,
  ): readonly [WriterResult, readonly RecordChange[]] {
    // Said before the deadline is looked at: whoever sees an unbegun command past its deadline knows it never will be.
    Atomics.store(this.#pulse, pulseBegunCell, command.ticket | 0);
    this.reportProgress();
    if (monotonicMs() > command.deadline) return [{ kind: 'dropped' }, []];
    try {
      const [result, changes] = this.#decide(command, transaction);
      if (changes.length > 0 && this.#options.freeSpace.isLow()) return [this.#withoutSpace(result), []];
      return [result, changes];
    } catch (fault) {
      this.#options.onFault(fault, command.kind);
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
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    const context = { now: Date.now(), newId, docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
    const { answer, changes } = answerManagementWrite(queries, command.call, context);
    return [{ kind: 'answered', answer }, changes];
  }
}

/**
 * A full disk, or a full map, rejects one commit and goes on; any other failure of the store ends the process. lmdb
 * reports some full disks as input/output errors, which is why the caller looks at the disk, too.
 */
function isDiskFull(fault: unknown): boolean {
  const text = fault instanceof Error ? `${fault.message} ${'code' in fault ? String(fault.code) : ''}` : '';
  return /ENOSPC|No space left|MDB_MAP_FULL|mapsize limit/i.test(text);
}
