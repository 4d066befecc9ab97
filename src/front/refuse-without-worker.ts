import { evaluationRetryHeaders, managementHeaders } from '../api/answer-headers.ts';
import { consoleHeaders } from '../api/console/console-headers.ts';
import { isConsoleApiPath } from '../api/console/match-console-operation.ts';
import { isManagementPath } from '../api/management/management-route.ts';
import { consoleEnvelope } from '../contracts/console/console-answers.ts';
import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger } from '../observability/logger.ts';
import { newId } from '../support/random-id.ts';
import { type RouteName, routeIndex } from '../worker/route-names.ts';

const detail = 'No worker of the service takes requests at the moment. Retry now.';
const problem = { code: 'service-unavailable', detail } as const;

/**
 * Answers a request whose connection no worker could be given: 503 in the form of its API, and the end of the connection,
 * which would stay with the front end otherwise.
 */
export function refuseWithoutWorker(
  exchange: Exchange,
  view: RequestView,
  docsUrl: string,
  log: Logger,
): void {
  const path = view.path();
  const requestId = newId();
  exchange.route = routeIndex(routeOf(path));
  if (path === '/health') {
    const body = JSON.stringify({ status: 'unavailable', failing: ['workers'] });
    exchange.answerClosing(503, evaluationRetryHeaders, body);
  } else if (isManagementPath(path)) {
    exchange.answerClosing(503, managementHeaders(requestId, 503), errorEnvelope(problem, docsUrl));
  } else if (isConsoleApiPath(path)) {
    const headers = consoleHeaders(requestId, 503, { contentType: 'application/json' });
    exchange.answerClosing(503, headers, consoleEnvelope(problem, docsUrl));
  } else exchange.answerClosing(503, evaluationRetryHeaders, errorEnvelope(problem, docsUrl));
  log.warn({ requestId, method: view.method(), route: null, status: 503 }, 'no worker takes requests');
}

function routeOf(path: string): RouteName {
  if (path === '/health') return 'health';
  if (isManagementPath(path)) return 'management-other';
  if (isConsoleApiPath(path)) return 'console-other';
  return path === '/v1' || path.startsWith('/v1/') ? 'evaluation-other' : 'other';
}
