import { errorEnvelope } from '../../contracts/error-envelope.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import type { ReadyAnswer } from '../../http/ready-answer.ts';
import { evaluationHeaders, evaluationHeadersFor } from '../../operations/answer-headers.ts';
import { decodeSegment, isPlainSegment } from '../../support/path-segment.ts';
import { hasRawCharacter } from '../../support/query-string.ts';
import type { EvaluationMeter } from '../evaluation/evaluation-meter.ts';
import type { FlagEvaluator } from '../evaluation/flag-evaluator.ts';
import type { FlagSource } from '../evaluation/flag-source.ts';
import { rawCharacterProblem } from './evaluation-refusal.ts';

export interface FlagAnswerParts {
  readonly source: FlagSource;
  readonly evaluator: FlagEvaluator;
  readonly meter: EvaluationMeter;
  readonly docsUrl: string;
}

/**
 * `GET /v1/flags/{flag_id}`: answers one request at a time, from its raw path segment and query. The answer is in
 * `status`, `headers`, `body` and `bodyBytes` until the next call: nothing is allocated.
 */
export class FlagAnswer implements ReadyAnswer {
  status = 0;
  headers: HeaderBlock = evaluationHeaders;
  body = '';
  bodyBytes = 0;
  readonly #parts: FlagAnswerParts;

  constructor(parts: FlagAnswerParts) {
    this.#parts = parts;
  }

  answer(segment: string, query: string): this {
    const { source, evaluator } = this.#parts;
    // Compared for each request: one that comes after a change was acknowledged sees the new version.
    source.refresh();
    const isPlain = isPlainSegment(segment);
    if (!isPlain && hasRawCharacter(segment)) return this.#refuseRaw(segment);
    evaluator.evaluate(isPlain ? segment : decodeSegment(segment), query);
    return this.#take(evaluator);
  }

  #refuseRaw(segment: string): this {
    const problem = rawCharacterProblem(segment);
    this.#parts.meter.countRefusal('flag', 'invalid-request');
    this.status = problemTable[problem.code].status;
    this.headers = evaluationHeadersFor(this.status);
    this.body = errorEnvelope(problem, this.#parts.docsUrl);
    this.bodyBytes = Buffer.byteLength(this.body);
    return this;
  }

  /** The answer to a request whose evaluation threw; the log line has the fault. */
  fail(): this {
    const { evaluator } = this.#parts;
    evaluator.fail();
    return this.#take(evaluator);
  }

  #take({ status, body, bodyBytes }: FlagEvaluator): this {
    this.status = status;
    this.headers = status === 200 ? evaluationHeaders : evaluationHeadersFor(status);
    this.body = body;
    this.bodyBytes = bodyBytes;
    return this;
  }
}
