import { monotonicMs } from '../support/monotonic-clock.ts';
import type { ChunkedAnswer } from './chunked-answer.ts';
import { CutAnswer } from './cut-answer.ts';

/** A long answer works this long between two looks at the mailbox. */
const sliceMs = 0.5;
/** Answers that are made as soon as they are asked for, without waiting for a turn, take this long of a batch at most. */
const atOnceMsMax = 1;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const answerAgeMaxMs = 30_000;
const longAnswersMax = 1024;
/** Of them, those that keep a snapshot of their own. */
const pinnedAnswersMax = 64;

interface LongAnswer {
  readonly id: number;
  readonly answer: ChunkedAnswer;
  readonly startedAt: number;
  readonly isPinned: boolean;
  /** Of a management request, for the log. */
  readonly requestId: string | undefined;
}

export interface LongAnswersHooks {
  onCut(id: number, reason: string): void;
  onFault(id: number, fault: unknown, requestId: string | undefined): void;
}

/** The long answers that one evaluator is making, a slice each in turn. */
export class LongAnswers {
  readonly #hooks: LongAnswersHooks;
  #answers: LongAnswer[] = [];
  #pinned = 0;
  #atOnceMs = 0;

  constructor(hooks: LongAnswersHooks) {
    this.#hooks = hooks;
  }

  get isEmpty(): boolean {
    return this.#answers.length === 0;
  }

  /** @param isPinned whether the answer keeps a snapshot of its own */
  isFull(isPinned: boolean): boolean {
    return this.#answers.length >= longAnswersMax || (isPinned && this.#pinned >= pinnedAnswersMax);
  }

  /** A batch begins: answers that it asks for may be made at once, for a little while. */
  beginBatch(): void {
    this.#atOnceMs = 0;
  }

  /** Takes an answer. A short one is made at once, if the batch has time for it. */
  add(id: number, answer: ChunkedAnswer, isPinned: boolean, requestId: string | undefined): void {
    const startedAt = monotonicMs();
    const long = { id, answer, startedAt, isPinned, requestId };
    if (this.#atOnceMs < atOnceMsMax) {
      this.#run(long, () => monotonicMs() - startedAt >= sliceMs);
      this.#atOnceMs += monotonicMs() - startedAt;
    }
    if (answer.isDone) return;
    this.#answers.push(long);
    if (isPinned) this.#pinned += 1;
  }

  allowMore(id: number): void {
    this.#find(id)?.answer.allowMore();
  }

  cancel(id: number): void {
    const long = this.#find(id);
    if (long !== undefined) this.#close(long);
  }

  /** Gives the first runnable answer a slice, and lets the others have the next. @returns whether one worked */
  runSlice(): boolean {
    if (this.isEmpty) return false;
    const startedAt = monotonicMs();
    this.#cutOld(startedAt);
    const long = this.#answers.find(({ answer }) => answer.isRunnable);
    if (long === undefined) return false;
    this.#run(long, () => monotonicMs() - startedAt >= sliceMs);
    if (long.answer.isDone) this.#close(long);
    else {
      this.#answers = this.#answers.filter((other) => other !== long);
      this.#answers.push(long);
    }
    return true;
  }

  #run(long: LongAnswer, isTimeUp: () => boolean): void {
    try {
      long.answer.runSlice(isTimeUp);
    } catch (fault) {
      if (fault instanceof CutAnswer) this.#cut(long, fault.message);
      else {
        this.#close(long);
        this.#hooks.onFault(long.id, fault, long.requestId);
      }
    }
  }

  #cutOld(now: number): void {
    for (const long of this.#answers) {
      if (now - long.startedAt > answerAgeMaxMs) this.#cut(long, 'its client took too long to read it');
    }
  }

  #cut(long: LongAnswer, reason: string): void {
    this.#close(long);
    this.#hooks.onCut(long.id, reason);
  }

  #close(long: LongAnswer): void {
    long.answer.close();
    const others = this.#answers.filter((other) => other !== long);
    if (others.length < this.#answers.length && long.isPinned) this.#pinned -= 1;
    this.#answers = others;
  }

  /** Lets everything go that answers are read from. */
  closeAll(): void {
    for (const { answer } of this.#answers) answer.close();
    this.#answers = [];
    this.#pinned = 0;
  }

  #find(id: number): LongAnswer | undefined {
    return this.#answers.find((long) => long.id === id);
  }
}
