import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { ConsoleCall } from '../contracts/console/console-call.ts';
import { createConsoleContext } from '../contracts/console/console-context.ts';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import type { PinnedSnapshot, StoreReader } from '../storage/store-reader.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { ChunkedAnswer, type LongAnswerParts } from './chunked-answer.ts';
import { EvaluationRefusals } from './evaluation-answer.ts';
import { EvaluationTallies } from './evaluation-tallies.ts';
import { EvaluatorMeter } from './evaluator-meter.ts';
import type {
  CountedEvaluations,
  EvaluatorAnswerHead,
  EvaluatorReply,
  EvaluatorRequest,
  EvaluatorSetup,
} from './evaluator-protocol.ts';
import { FlagEvaluator } from './flag-evaluator.ts';
import { FlagSource } from './flag-source.ts';
import { LongAnswers } from './long-answers.ts';
import {
  abandonedCell,
  asleepCell,
  doneCell,
  headCell,
  type Mailbox,
  openMailbox,
  progressCell,
  wakeCell,
} from './mailbox.ts';
import { answerManagementRead } from './reads/answer-read.ts';
import { answerConsoleRead } from './reads/console/answer-console-read.ts';
import { ProjectEvaluator } from './reads/evaluate-project.ts';
import type { ReportFault } from './report-fault.ts';
import { SlotServer } from './slot-server.ts';

const encoder = new TextEncoder();
/** An idle evaluator looks up this often, so that its progress shows that it lives and old snapshots are let go. */
const idleWaitMs = 1000;
/** What the garbage collector has found of lmdb's is freed by the event loop only: a cursor of each range that was read. */
const turnEveryMs = 100;
const evaluationHead = { isFailedAuthentication: false, tokenId: null, denial: null, entityTag: null };

interface PinnedAnswer {
  readonly head: EvaluatorAnswerHead;
  readonly body: string | Iterable<string>;
}

/**
 * One evaluator: serves its mailbox until it is told to stop, in one loop that waits for nothing but its mailbox. Each
 * round is a batch of slots, then a slice of a long answer; when there is neither, it waits on the mailbox's head. Some
 * times a second the event loop turns once in between.
 */
export class Evaluator {
  readonly #setup: EvaluatorSetup;
  readonly #reader: StoreReader;
  readonly #port: MessagePort;
  readonly #mailbox: Mailbox;
  readonly #source: FlagSource;
  readonly #slots: SlotServer;
  readonly #flagEvaluator: FlagEvaluator;
  readonly #projectEvaluator: ProjectEvaluator;
  readonly #refusals: EvaluationRefusals;
  readonly #reportFault: ReportFault;
  readonly #longAnswers: LongAnswers;
  readonly #meter: EvaluatorMeter;
  readonly #tallies = new EvaluationTallies();
  #isStopping = false;

  constructor(setup: EvaluatorSetup, reader: StoreReader, reportFault: ReportFault) {
    this.#setup = setup;
    this.#reader = reader;
    this.#port = setup.port;
    this.#mailbox = openMailbox(setup.mailbox);
    this.#meter = new EvaluatorMeter(setup.metrics);
    this.#source = new FlagSource(reader, setup.storeVersion, setup.cacheBytes, this.#meter);
    this.#refusals = new EvaluationRefusals(setup.docsUrl);
    this.#flagEvaluator = new FlagEvaluator(this.#source, setup.docsUrl, this.#meter, this.#tallies);
    this.#projectEvaluator = new ProjectEvaluator(this.#source, reader, setup.docsUrl, {
      meter: this.#meter,
      tallies: this.#tallies,
    });
    this.#reportFault = reportFault;
    this.#longAnswers = new LongAnswers({
      onCut: (id, reason) => this.#post({ kind: 'cut', id, reason }),
      onFault: (id, fault, requestId) => {
        reportFault(fault, 'long answer', requestId);
        this.#post({ kind: 'failed', id });
      },
    });
    this.#slots = new SlotServer(this.#mailbox, this.#flagEvaluator, {
      takeMessage: () => this.#takeMessage(),
      reportFault,
      sendOversized: (count, status, body) =>
        this.#post({ kind: 'oversized', count, status, bytes: body.slice() }),
    });
  }

  /** @returns when it has been told to stop, and what it had begun is sent */
  async run(): Promise<void> {
    this.#post({ kind: 'ready' });
    const { control } = this.#mailbox;
    let turnAt = performance.now() + turnEveryMs;
    while (!this.#isOver()) {
      Atomics.add(control, progressCell, 1);
      const served = this.#serveBatch();
      const worked = this.#longAnswers.runSlice();
      this.#meter.putBytes(this.#source.cache.bytes, this.#source.lists.bytes);
      const now = performance.now();
      this.#report(this.#tallies.collect(now));
      if (now >= turnAt) {
        await setImmediate();
        turnAt = now + turnEveryMs;
      } else if (!served && !worked) this.#sleep();
    }
    this.#longAnswers.closeAll();
    while (this.#report(this.#tallies.collectRest()));
  }

  /** @returns whether there was something */
  #report(counted: CountedEvaluations | null): boolean {
    if (counted !== null) this.#post({ kind: 'counted', counted });
    return counted !== null;
  }

  #isOver(): boolean {
    if (Atomics.load(this.#mailbox.control, abandonedCell) === 1) return true;
    return this.#isStopping && this.#longAnswers.isEmpty;
  }

  #serveBatch(): boolean {
    const { control } = this.#mailbox;
    // Counted before the version is looked at: a slot that is published in between may already know of a newer one.
    const waiting = this.#slots.countWaiting();
    if (waiting === 0) return false;
    this.#source.refresh();
    this.#longAnswers.beginBatch();
    const size = Math.min(waiting, this.#setup.batchSize);
    this.#meter.countBatch(size);
    this.#slots.serve(size);
    if (Atomics.exchange(control, wakeCell, 0) === 1) this.#post({ kind: 'woken' });
    return true;
  }

  #sleep(): void {
    const { control } = this.#mailbox;
    this.#source.release();
    const idleSince = performance.now();
    Atomics.store(control, asleepCell, 1);
    const done = Atomics.load(control, doneCell);
    if (Atomics.load(control, headCell) === done) Atomics.wait(control, headCell, done, idleWaitMs);
    Atomics.store(control, asleepCell, 0);
    this.#meter.countIdle(performance.now() - idleSince);
  }

  #takeMessage(): void {
    const received = receiveMessageOnPort(this.#port) as { message: EvaluatorRequest } | undefined;
    if (received === undefined) throw new Error('a slot announced a message that is not in the port');
    const request = received.message;
    // A batch may hold many long reads: each is progress.
    Atomics.add(this.#mailbox.control, progressCell, 1);
    if (request.kind === 'stop') this.#isStopping = true;
    else if (request.kind === 'more') this.#longAnswers.allowMore(request.id);
    else if (request.kind === 'cancel') this.#longAnswers.cancel(request.id);
    else this.#answer(request);
  }

  #answer(request: Exclude<EvaluatorRequest, { kind: 'stop' | 'more' | 'cancel' }>): void {
    try {
      if (request.kind === 'evaluate-flag')
        this.#evaluateLongQuery(request.id, request.flagId, request.query);
      else if (request.kind === 'evaluate-project') {
        this.#evaluateProject(request.id, request.projectId, request.query);
      } else if (request.kind === 'management-read') this.#read(request.id, request.call);
      else this.#readConsole(request.id, request.call);
    } catch (fault) {
      this.#reportFault(fault, request.kind, 'call' in request ? request.call.requestId : undefined);
      if (request.kind === 'evaluate-flag') this.#meter.countRefusal('flag', 'failed');
      if (request.kind === 'evaluate-project') this.#meter.countRefusal('project', 'failed');
      this.#post({ kind: 'failed', id: request.id });
    }
  }

  #evaluateLongQuery(id: number, flagId: string, query: string): void {
    const bytes = encoder.encode(query);
    this.#flagEvaluator.evaluate(flagId, bytes, 0, bytes.length);
    const { status, body } = this.#flagEvaluator;
    this.#send(id, { ...evaluationHead, status }, body.slice(), true);
  }

  #evaluateProject(id: number, projectId: string, query: string): void {
    const answer = this.#projectEvaluator.evaluate(projectId, query);
    const head = { ...evaluationHead, status: answer.status };
    if ('pieces' in answer) this.#begin(id, { head, ...answer }, false);
    else this.#send(id, head, answer.body, true);
  }

  #read(id: number, call: ManagementCall): void {
    const { docsUrl, tokenPrefixesAccepted } = this.#setup;
    const context = { now: Date.now(), docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
    this.#answerPinned(id, call.requestId, ({ queries }) => {
      const { body, ...head } = answerManagementRead(queries, call, context);
      return { body, head };
    });
  }

  #readConsole(id: number, call: ConsoleCall): void {
    const context = createConsoleContext(this.#setup.console);
    this.#answerPinned(id, call.requestId, ({ queries }) => {
      const { status, body, ...console } = answerConsoleRead(queries, call, context);
      return { body, head: { ...evaluationHead, status, console } };
    });
  }

  /** @param read from the snapshot; a body in pieces keeps it until it is sent. */
  #answerPinned(id: number, requestId: string, read: (snapshot: PinnedSnapshot) => PinnedAnswer): void {
    const snapshot = this.#reader.pin();
    let isKept = false;
    try {
      const { body, head } = read(snapshot);
      if (typeof body === 'string') this.#send(id, head, encoder.encode(body), true);
      else {
        isKept = true;
        this.#begin(id, { head, pieces: body, release: snapshot.release }, true, requestId);
      }
    } finally {
      if (!isKept) snapshot.release();
    }
  }

  #begin(id: number, parts: LongAnswerParts, isPinned: boolean, requestId?: string): void {
    if (this.#longAnswers.isFull(isPinned)) {
      parts.release();
      const detail = 'Too many long lists are being read at once. Retry in a moment.';
      const refusal = this.#refusals.unavailable(detail);
      this.#send(id, { ...parts.head, status: refusal.status }, refusal.body, true);
      return;
    }
    // A chunk is the answer's own: it moves to the gateway, uncopied.
    const send = (
      head: EvaluatorAnswerHead | null,
      bytes: Uint8Array<ArrayBuffer>,
      isLast: boolean,
    ): void => {
      const reply: EvaluatorReply = { kind: 'chunk', id, head, bytes, isLast };
      this.#port.postMessage(reply, [bytes.buffer]);
    };
    this.#longAnswers.add(id, new ChunkedAnswer(parts, send), isPinned, requestId);
  }

  #send(id: number, head: EvaluatorAnswerHead | null, bytes: Uint8Array, isLast: boolean): void {
    this.#post({ kind: 'chunk', id, head, bytes, isLast });
  }

  #post(reply: EvaluatorReply): void {
    this.#port.postMessage(reply);
  }
}
