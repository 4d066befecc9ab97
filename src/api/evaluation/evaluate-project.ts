import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import { hasRawCharacter } from '../../support/raw-character.ts';
import { evaluationHeadersFor } from '../answer-headers.ts';
import { ChunkedReply } from '../chunked-reply.ts';
import { overloaded } from '../overloaded.ts';
import { decodeSegment } from '../path-segment.ts';
import { evaluationFailed, rawCharacterProblem, refuseEvaluation } from './evaluation-refusal.ts';

/** `GET /v1/flags/project/{project_id}`: every flag of a project for one context, in chunks when it is long. */
export function evaluateProject(
  exchange: Exchange,
  request: RequestView,
  evaluators: EvaluatorClient,
  docsUrl: string,
): void {
  const segment = request.parameter(0);
  const query = request.query();
  if (hasRawCharacter(segment) || hasRawCharacter(query)) {
    refuseEvaluation(exchange, rawCharacterProblem(segment), docsUrl);
    return;
  }
  const answerUnavailable = (detail: string): void =>
    refuseEvaluation(exchange, { code: 'service-unavailable', detail }, docsUrl);
  const reply = new ChunkedReply(exchange, {
    headers: evaluationHeadersFor,
    answerWhole: (head, bytes) => exchange.answer(head.status, evaluationHeadersFor(head.status), bytes),
    answerUnavailable,
    answerFailure: () => refuseEvaluation(exchange, evaluationFailed, docsUrl),
    more: () => open?.more(),
    cancel: () => open?.cancel(),
    onLongAnswer: () => undefined,
  });
  const open = evaluators.request(reply, {
    kind: 'evaluate-project',
    projectId: decodeSegment(segment),
    query,
  });
  if (open === null) answerUnavailable(overloaded);
}
