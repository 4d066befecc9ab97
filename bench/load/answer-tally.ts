import { describeRequest } from './request-bytes.ts';
import type { BenchRequest } from './request-list.ts';

interface WrongAnswers {
  readonly status: number;
  readonly first: BenchRequest;
  count: number;
}

/** Counts the requests that got a wrong status or no answer. */
export class AnswerTally {
  /** By answered and expected status, combined into one number: a cheap key. */
  readonly #wrong = new Map<number, WrongAnswers>();
  #unanswered = 0;

  countAnswer(request: BenchRequest, status: number): void {
    if (status !== request.status) this.#countWrong(request, status);
  }

  countUnanswered(count: number): void {
    this.#unanswered += count;
  }

  #countWrong(request: BenchRequest, status: number): void {
    const key = status * 1000 + request.status;
    const wrong = this.#wrong.get(key);
    if (wrong === undefined) this.#wrong.set(key, { status, first: request, count: 1 });
    else wrong.count += 1;
  }

  /** @returns the failures among `requests` requests, with counts and first examples; null without any */
  problem(requests: number): string | null {
    const parts = [...this.#wrong.values()].map(
      ({ status, first, count }) =>
        `${count} answered ${status} instead of ${first.status} (first: ${describeRequest(first)})`,
    );
    if (this.#unanswered > 0) parts.push(`${this.#unanswered} not answered`);
    return parts.length === 0 ? null : `of ${requests} requests, ${parts.join(', ')}`;
  }
}
