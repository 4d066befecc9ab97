import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { EvaluationReceiver } from '../../evaluator/receiver-protocol.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import { hasRawCharacter } from '../../support/raw-character.ts';
import { evaluationHeadersFor } from '../answer-headers.ts';
import { overloaded } from '../overloaded.ts';
import { decodeSegment } from '../path-segment.ts';
import { evaluationFailed, rawCharacterProblem, refuseEvaluation } from './evaluation-refusal.ts';

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
