import { errorEnvelope } from '../../contracts/error-envelope.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import { describeQueryFault } from '../../domain/evaluation/query-fault.ts';
import type { Problem } from '../../domain/problem.ts';
import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { EvaluationReceiver } from '../../evaluator/receiver-protocol.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import { evaluationHeadersFor } from '../answer-headers.ts';

export const overloaded = 'The service has as many requests in flight as it may. Retry in a moment.';

/** The evaluator's log tells more. */
export const evaluationFailed: Problem = {
  code: 'internal-error',
  detail: 'The evaluation failed unexpectedly. Retry; if it persists, look at the log of the service.',
};

/** Answers with a problem of the Evaluation API. */
export function refuseEvaluation(exchange: Exchange, problem: Problem, docsUrl: string): void {
  const { status } = problemTable[problem.code];
  exchange.answer(status, evaluationHeadersFor(status), errorEnvelope(problem, docsUrl));
}

/** @returns the problem of a path or query with a raw character that is not visible ASCII (decisions, query decoding). */
export function rawCharacterProblem(path: string): Problem {
  const detail = hasRawCharacter(path)
    ? 'The path holds a character outside ASCII, or a control character, that is not encoded. Percent-encode it as UTF-8.'
    : describeQueryFault('raw-character', 'query string');
  return { code: 'invalid-request', detail };
}

export function hasRawCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7e) return true;
  return false;
}

/** @returns the path segment decoded, or the segment as it is when it cannot be: then it matches no id. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

class EvaluationReply implements EvaluationReceiver {
  readonly #exchange: Exchange;
  readonly #docsUrl: string;

  constructor(exchange: Exchange, docsUrl: string) {
    this.#exchange = exchange;
    this.#docsUrl = docsUrl;
  }

  receiveEvaluation(status: number, body: Uint8Array): void {
    this.#exchange.answer(status, evaluationHeadersFor(status), body);
  }

  receiveUnavailable(detail: string): void {
    refuseEvaluation(this.#exchange, { code: 'service-unavailable', detail }, this.#docsUrl);
  }

  receiveFailure(): void {
    refuseEvaluation(this.#exchange, evaluationFailed, this.#docsUrl);
  }
}

/** `GET /v1/flags/{flag_id}`: hands the raw id and query to an evaluator, which answers with bytes. */
export function evaluateFlag(
  exchange: Exchange,
  request: RequestView,
  evaluators: EvaluatorClient,
  docsUrl: string,
): void {
  const segment = request.parameter(0);
  const query = request.query();
  const reply = new EvaluationReply(exchange, docsUrl);
  const flagId = idForSlot(segment);
  const submission = evaluators.evaluate(reply, flagId, query);
  if (submission === 'sent') return;
  if (submission === 'full') reply.receiveUnavailable(overloaded);
  else refuseEvaluation(exchange, rawCharacterProblem(segment), docsUrl);
}

/** An escaped id may decode to what a slot cannot hold; no id has such a character, so any other text will do. */
function idForSlot(segment: string): string {
  const decoded = decodeSegment(segment);
  return decoded !== segment && hasRawCharacter(decoded) ? '%' : decoded;
}
