import { readPosition, type Watched } from '../../domain/audit/watch-position.ts';
import { watchedChanges } from '../../domain/audit/watched-changes.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ApiReply } from '../api-reply.ts';
import type { ApiAnswer, ApiCall } from '../call.ts';
import type { ConversationActors, ConversationCall } from '../conversation.ts';
import type { ConsoleRead, Shown } from '../operation.ts';
import { readTooLate } from '../refuse-undecided.ts';
import { readChanges } from './page-watchers.ts';

/**
 * Server-sent events: `ready` at once, with the changes since the position that the page gave, and `changed` after each
 * change. They end with the session, or with the service.
 *
 * @param step reads the changes
 */
export async function watchChanges(
  { id: operation }: Pick<ConsoleRead, 'id'>,
  { reply }: ConversationCall,
  { reads, readQueue, watchers }: ConversationActors,
): Promise<void> {
  const { requestId, params, query, credential, address, userAgent } = reply.request;
  const from = { requestId, params, query, credential, address, userAgent };
  const unsent = { header: null, body: null, isBodyTooLarge: false };
  const call: ApiCall = { api: 'console', operation, ...from, ...unsent };
  const check = reads.checkHead(call);
  if ('refusal' in check) return give(reply, check.refusal);
  if (credential === null || check.asker === null) {
    throw new Error('a watch without a session has passed the guard');
  }
  const { asker: memberId, organisation: organisationId } = check.asker;
  // The slot comes first: to read what has changed may take milliseconds.
  const slot = await watchers.join({ sessionSecret: credential, memberId, organisationId });
  if (typeof slot === 'string') return reply.refuseUnavailable(slot);
  const begin = (): void => {
    // The request may have waited since it was let in.
    const refusal = watchers.whyNot();
    if (refusal !== null) {
      reply.refuseUnavailable(refusal);
      return;
    }
    const { answer, release } = reads.read(call);
    release();
    if (answer.status !== 200) {
      give(reply, answer);
      return;
    }
    const first = readChanges(answer.body);
    reply.begin(200, { contentType: 'text/event-stream' }, memberId);
    if (reply.exchange.isOver) return;
    watchers.open({ exchange: reply.exchange, call, first, slot });
    isKept = true;
  };
  let isKept = false;
  try {
    const isInTime = await readQueue.run(() => {
      if (!reply.exchange.isOver) begin();
    });
    if (isInTime === false) reply.refuseUnavailable(readTooLate);
  } finally {
    if (!isKept) watchers.leave(slot);
  }
}

function give(reply: ApiReply, { status, body, contentType, askerId }: ApiAnswer): void {
  reply.answer(status, String(body), { contentType }, askerId);
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
