import { monotonicMs } from '../support/monotonic-clock.ts';
import type { ChunkedAnswer } from './chunked-answer.ts';

/** A long answer works this long between two looks at the mailbox. */
const sliceMs = 0.5;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const snapshotAgeMaxMs = 30_000;
export const longAnswersMax = 64;

interface LongAnswer {
  readonly id: number;
  readonly answer: ChunkedAnswer;
  readonly startedAt: number;
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

  constructor(hooks: LongAnswersHooks) {
    this.#hooks = hooks;
  }

  get isEmpty(): boolean {
    return this.#answers.length === 0;
  }

  get isFull(): boolean {
    return this.#answers.length >= longAnswersMax;
  }

  add(id: number, answer: ChunkedAnswer, requestId: string | undefined): void {
    this.#answers.push({ id, answer, startedAt: monotonicMs(), requestId });
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
    try {
      long.answer.runSlice(() => monotonicMs() - startedAt >= sliceMs);
    } catch (fault) {
      this.#close(long);
      this.#hooks.onFault(long.id, fault, long.requestId);
    }
    this.#answers = this.#answers.filter((other) => other !== long);
    if (!long.answer.isDone) this.#answers.push(long);
    return true;
  }

  #cutOld(now: number): void {
    for (const long of this.#answers) {
      if (now - long.startedAt > snapshotAgeMaxMs) this.#cut(long, 'its client took too long to read it');
    }
  }

  #cut(long: LongAnswer, reason: string): void {
    this.#close(long);
    this.#hooks.onCut(long.id, reason);
  }

  #close(long: LongAnswer): void {
    long.answer.close();
    this.#answers = this.#answers.filter((other) => other !== long);
  }

  /** Lets every snapshot go. */
  closeAll(): void {
    for (const { answer } of this.#answers) answer.close();
    this.#answers = [];
  }

  #find(id: number): LongAnswer | undefined {
    return this.#answers.find((long) => long.id === id);
  }
}
