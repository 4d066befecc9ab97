import { errorEnvelope } from '../../contracts/error-envelope.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import { describeQueryFault } from '../../domain/evaluation/query-fault.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Exchange } from '../../http/exchange.ts';
import { evaluationHeadersFor } from '../../operations/answer-headers.ts';
import { hasRawCharacter } from '../../support/query-string.ts';

/** The log tells more. */
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
