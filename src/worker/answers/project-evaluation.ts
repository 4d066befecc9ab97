import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import { evaluationHeadersFor } from '../../operations/answer-headers.ts';
import { decodeSegment } from '../../support/path-segment.ts';
import { hasRawCharacter } from '../../support/query-string.ts';
import type { ProjectEvaluator } from '../evaluation/evaluate-project.ts';
import { addressClient } from '../limits/quota.ts';
import { evaluationFailed, rawCharacterProblem, refuseEvaluation } from './evaluation-refusal.ts';
import type { LongAnswers } from './long-answers.ts';

export interface ProjectAnswerParts {
  readonly evaluator: ProjectEvaluator;
  readonly longAnswers: LongAnswers;
  readonly docsUrl: string;
  /** The client for which the request is counted. Valid only while the request is handled. */
  addressOf(exchange: Exchange, request: RequestView): string;
  onFault(fault: unknown, during: string): void;
}

/**
 * `GET /v1/flags/project/{project_id}`: evaluates every flag of a project for one context; a long answer is sent in
 * chunks.
 */
export function evaluateProject(exchange: Exchange, request: RequestView, parts: ProjectAnswerParts): void {
  const { evaluator, longAnswers, docsUrl } = parts;
  const segment = request.parameter(0);
  const query = request.query();
  if (hasRawCharacter(segment) || hasRawCharacter(query)) {
    refuseEvaluation(exchange, rawCharacterProblem(segment), docsUrl);
    return;
  }
  const refuse = (detail: string): void =>
    refuseEvaluation(exchange, { code: 'service-unavailable', detail }, docsUrl);
  const fail = (fault: unknown, hasBegun: boolean): void => {
    parts.onFault(fault, 'evaluate-project');
    evaluator.countFailure();
    if (!hasBegun) refuseEvaluation(exchange, evaluationFailed, docsUrl);
  };
  const answer = (status: number, body: Uint8Array | string): void =>
    exchange.answer(status, evaluationHeadersFor(status), body);
  try {
    const evaluation = evaluator.evaluate(decodeSegment(segment), query);
    if (!('pieces' in evaluation)) {
      answer(evaluation.status, evaluation.body);
      return;
    }
    const { status, pieces, heldBytes, release } = evaluation;
    longAnswers.send({
      exchange,
      status,
      pieces,
      heldBytes,
      release,
      isPinned: false,
      client: () => addressClient(parts.addressOf(exchange, request)),
      headers: () => evaluationHeadersFor(status),
      answerWhole: (bytes) => answer(status, bytes),
      refuse,
      fail,
      onOver: () => undefined,
    });
  } catch (fault) {
    fail(fault, false);
  }
}
