import { errorEnvelope } from '../../contracts/error-envelope.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import { describeQueryFault } from '../../domain/evaluation/query-fault.ts';
import type { Problem } from '../../domain/problem.ts';
import type { ConnectionRules } from '../../http/connection-rules.ts';
import type { Exchange } from '../../http/exchange.ts';
import { evaluationHeadersFor, evaluationRetryHeaders } from '../../operations/answer-headers.ts';
import { tooManyConnections } from '../../operations/refuse-undecided.ts';
import { hasRawCharacter } from '../../support/query-string.ts';

/** The log line has the fault. */
export const evaluationFailed: Problem = {
  code: 'internal-error',
  detail: 'The evaluation failed unexpectedly. Retry; if it persists, look at the log of the service.',
};

/** Answers with a problem of the Evaluation API. */
export function refuseEvaluation(exchange: Exchange, problem: Problem, docsUrl: string): void {
  const { status } = problemTable[problem.code];
  exchange.answer(status, evaluationHeadersFor(status), errorEnvelope(problem, docsUrl));
}

/** @returns the answer to a connection for which there is no room, in a form that fits a request of any API */
export function tooManyConnectionsAnswer(docsUrl: string): ConnectionRules['crowded'] {
  const body = errorEnvelope({ code: 'service-unavailable', detail: tooManyConnections }, docsUrl);
  return { headers: evaluationRetryHeaders, body };
}

/**
 * @returns the problem of a path or query that has a raw character other than visible ASCII (decisions, query
 * decoding).
 */
export function rawCharacterProblem(path: string): Problem {
  const detail = hasRawCharacter(path)
    ? 'The path holds a character outside ASCII, or a control character, that is not encoded. Percent-encode it as UTF-8.'
    : describeQueryFault('raw-character', 'query string');
  return { code: 'invalid-request', detail };
}
