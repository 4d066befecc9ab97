import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { ConsoleOperationId } from '../../contracts/console/console-paths.ts';
import type { ConsoleConversation } from './console-conversation.ts';
import { readChanges } from './page-watchers.ts';
import { Watcher } from './watcher.ts';

type Watching = Extract<ConsoleOperationId, 'watch-project' | 'watch-organisation'>;

/**
 * Server-sent events: `ready` at once, with what has changed since the position that the page gave, and `changed`
 * whenever something has. They end with the session, or the service.
 */
export function watchChanges(operation: Watching): ConsoleConversation {
  return async ({ reply, query }, { reads, watchers }) => {
    const { requestId, params, sessionSecret, address, userAgent } = reply.request;
    const caller = { requestId, params, sessionSecret, address, userAgent };
    const call: ConsoleCall = { ...caller, operation, query, body: null };
    const versionSeen = watchers.version();
    const { answer, release } = reads.console(call);
    release();
    const { status, memberId, contentType, body } = answer;
    if (status !== 200) return reply.answer(status, String(body), { contentType }, memberId);
    if (sessionSecret === null || memberId === null) {
      throw new Error('a watch without a session has passed the guard');
    }
    const { organisationId, ...changes } = readChanges(body);
    const place = await watchers.join({ sessionSecret, memberId, organisationId });
    if (typeof place === 'string') return reply.refuseUnavailable(place);
    reply.begin(200, { contentType: 'text/event-stream' }, memberId);
    if (reply.exchange.isOver) return watchers.leave(place);
    const watcher = new Watcher(reply.exchange);
    watcher.tell('ready', changes);
    watchers.add(watcher, place, call, changes.position, versionSeen);
  };
}
