import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { ConsoleOperationId } from '../../contracts/console/console-paths.ts';
import { askEvaluator } from './ask-evaluator.ts';
import type { GatewayOperation } from './gateway-operation.ts';
import { readChanges } from './page-watchers.ts';
import { Watcher } from './watcher.ts';

type Watching = Extract<ConsoleOperationId, 'watch-project' | 'watch-organisation'>;

/**
 * Server-sent events: `ready` at once, with what has changed since the position that the page gave, and `changed`
 * whenever something has. They end with the session, or the service.
 */
export function watchChanges(operation: Watching): GatewayOperation {
  return async ({ reply, query }, { evaluators, watchers }) => {
    const { requestId, params, sessionSecret, address, userAgent } = reply.request;
    const caller = { requestId, params, sessionSecret, address, userAgent };
    const call: ConsoleCall = { ...caller, operation, query, body: null };
    const versionSeen = watchers.version();
    const answer = await askEvaluator(evaluators, call);
    if (answer.kind === 'unavailable') return reply.refuseUnavailable(answer.detail);
    if (answer.kind === 'failed') return reply.refuseInternal();
    const { status, console } = answer.head;
    const memberId = console?.memberId ?? null;
    if (status !== 200) {
      return reply.answer(status, answer.body, { contentType: console?.contentType ?? null }, memberId);
    }
    if (sessionSecret === null || memberId === null) {
      throw new Error('a watch without a session has passed the guard');
    }
    const { organisationId, ...changes } = readChanges(answer.body);
    const viewer = { sessionSecret, memberId, organisationId };
    const refusal = watchers.refusal(viewer);
    if (refusal !== null) return reply.refuseUnavailable(refusal);
    reply.begin(200, { contentType: 'text/event-stream' }, memberId);
    if (reply.exchange.isOver) return;
    const watcher = new Watcher(reply.exchange);
    watcher.tell('ready', changes);
    watchers.add(watcher, viewer, call, changes.position, versionSeen);
  };
}
