import { keepAnswer, recallAnswer, secondsUntilRoom } from '../../domain/idempotency/answer-keeping.ts';
import { type KeptAnswer, keptBytes } from '../../domain/idempotency/kept-answer.ts';
import type { Principal } from '../../domain/management/guard.ts';
import { refuseForNow, refuseRequest, type Step } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { joinPieces } from '../../support/text-pieces.ts';
import { successAnswer, type WriteContext, type WriteDecision } from '../management-operation.ts';

interface KeyedRequest {
  readonly principal: Principal;
  readonly key: string;
  readonly body: Uint8Array | null;
}

const otherBody =
  'This Idempotency-Key was sent with another body less than 24 hours ago. Send the same bytes again, or use a new key for a new flag.';
const noRoom =
  'Idempotency-Keys are kept for 24 hours, and this project has reached the limit of kept keys. Nothing was created. Wait until earlier keys are 24 hours old, or send the request without the header.';

/**
 * Decides a request once: its repetition gets the first answer again, byte for byte, and changes nothing. The answer is
 * stored in the transaction of the changes, so a crash between commit and answer loses both or neither.
 */
export function answerOnce(
  queries: RecordQueries,
  { principal, key, body }: KeyedRequest,
  context: WriteContext,
  decide: () => Step<WriteDecision>,
): Step<WriteDecision> {
  const { token, project } = principal;
  const hash = context.hashBytes(body ?? new Uint8Array());
  const recalled = recallAnswer(queries, { tokenId: token.id, key, hash }, context.now);
  if (recalled.kind === 'other-body') return refuseRequest(token, 'invalid-request', otherBody);
  if (recalled.kind === 'repeated') return succeed({ changes: [], answer: repeat(recalled.answer) });

  const decided = decide();
  if (!decided.ok) return decided;
  const { answer, changes } = decided.value;
  const text = joinPieces(answer.body);
  const kept: KeptAnswer = {
    projectId: project.id,
    tokenId: token.id,
    key,
    keptAt: context.now,
    bytes: keptBytes(key, text),
    requestHash: hash,
    ...{ entityTag: answer.entityTag, nameTakenBy: answer.nameTakenBy },
    body: text,
  };
  const keeping = keepAnswer(queries, kept, context.now);
  if (keeping === null)
    return refuseForNow(token, noRoom, secondsUntilRoom(queries, project.id, context.now));
  return succeed({ changes: [...changes, ...keeping], answer });
}

function repeat({ body, tokenId, entityTag, nameTakenBy }: KeptAnswer): WriteDecision['answer'] {
  return successAnswer(201, body, tokenId, { entityTag, nameTakenBy });
}
