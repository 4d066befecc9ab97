import { readPosition, type Watched } from '../../domain/audit/watch-position.ts';
import { watchedChanges } from '../../domain/audit/watched-changes.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ApiCall } from '../call.ts';
import type { ConversationActors, ConversationCall } from '../conversation.ts';
import type { ConsoleRead, Shown } from '../operation.ts';
import { readChanges, Watcher } from './page-watchers.ts';

/**
 * Server-sent events: `ready` at once, with the changes since the position that the page gave, and `changed` after each
 * change. They end with the session, or with the service.
 *
 * @param step reads the changes
 */
export async function watchChanges(
  { id: operation }: Pick<ConsoleRead, 'id'>,
  { reply }: ConversationCall,
  { reads, watchers }: ConversationActors,
): Promise<void> {
  const { requestId, params, query, credential, address, userAgent } = reply.request;
  const from = { requestId, params, query, credential, address, userAgent };
  const unsent = { header: null, body: null, isBodyTooLarge: false };
  const call: ApiCall = { api: 'console', operation, ...from, ...unsent };
  const versionSeen = watchers.version();
  const { answer, release } = reads.read(call);
  release();
  const { status, askerId, contentType, body } = answer;
  if (status !== 200) return reply.answer(status, String(body), { contentType }, askerId);
  if (credential === null || askerId === null) {
    throw new Error('a watch without a session has passed the guard');
  }
  const { organisationId, ...changes } = readChanges(body);
  const place = await watchers.join({ sessionSecret: credential, memberId: askerId, organisationId });
  if (typeof place === 'string') return reply.refuseUnavailable(place);
  reply.begin(200, { contentType: 'text/event-stream' }, askerId);
  if (reply.exchange.isOver) return watchers.leave(place);
  const watcher = new Watcher(reply.exchange);
  watcher.tell('ready', changes);
  watchers.add(watcher, place, call, changes.position, versionSeen);
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
