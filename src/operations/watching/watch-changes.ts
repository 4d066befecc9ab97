import { readPosition, type Watched } from '../../domain/audit/watch-position.ts';
import { watchedChanges } from '../../domain/audit/watched-changes.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ApiCall } from '../call.ts';
import type { ConversationActors, ConversationCall } from '../conversation.ts';
import type { ConsoleRead, Shown } from '../operation.ts';
import { readTooLate } from '../refuse-undecided.ts';
import { callOf } from '../sessions/ask-actors.ts';
import { readChanges } from './page-watchers.ts';

/**
 * Server-sent events: `ready` at once, with the changes since the position that the page gave, and `changed` after each
 * change. They end with the session, or with the service.
 *
 * @param step reads the changes
 */
export async function watchChanges(
  step: Pick<ConsoleRead, 'id'>,
  { request }: ConversationCall,
  { reads, readQueue, watchers }: ConversationActors,
): Promise<void> {
  const { query, credential } = request.call;
  const call: ApiCall = { ...callOf(request, step, null), query };
  const principal = request.caller?.principal ?? null;
  if (credential === null || principal === null || !('member' in principal)) {
    throw new Error('a watch without a session has passed the guard');
  }
  const { id: memberId, organisationId } = principal.member;
  // The slot comes first: to read what has changed may take milliseconds.
  const slot = await watchers.join({ sessionSecret: credential, memberId, organisationId });
  if (typeof slot === 'string') return request.refuseUnavailable(slot);
  const begin = (): void => {
    // The request may have waited since its caller was authorized.
    const refusal = watchers.whyNot();
    if (refusal !== null) {
      request.refuseUnavailable(refusal);
      return;
    }
    const { answer, release } = reads.read(call);
    release();
    if (answer.status !== 200) {
      request.answer(answer.status, String(answer.body), { contentType: answer.contentType });
      return;
    }
    const first = readChanges(answer.body);
    request.begin(200, { contentType: 'text/event-stream' });
    if (request.exchange.isOver) return;
    watchers.open({ exchange: request.exchange, call, first, slot });
    isKept = true;
  };
  let isKept = false;
  try {
    const isInTime = await readQueue.run(() => {
      if (!request.exchange.isOver) begin();
    });
    if (isInTime === false) request.refuseUnavailable(readTooLate);
  } finally {
    if (!isKept) watchers.leave(slot);
  }
}

const wrongPosition = 'since must be a position from the service, unchanged';

/** @param since a position from the service; undefined begins now. */
export function readWatch(
  queries: RecordQueries,
  watched: Watched,
  since: string | undefined,
): Outcome<Shown, ConsoleProblem> {
  const from = since === undefined ? null : readPosition(since);
  if (from === null && since !== undefined) return refuse('invalid-request', wrongPosition);
  const { organisationId } = watched;
  return succeed({ value: { organisationId, ...watchedChanges(queries, watched, from) } });
}
