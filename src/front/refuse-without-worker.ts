import { errorEnvelope } from '../contracts/error-envelope.ts';
import { ofrepFailure } from '../contracts/ofrep/ofrep-answers.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger } from '../observability/logger.ts';
import { evaluationRetryHeaders, ofrepRetryHeaders } from '../operations/answer-headers.ts';
import { type ApiFormat, formatOf } from '../operations/api-request.ts';
import { consoleApiPath, isBelow, managementApiPath } from '../operations/match-route.ts';
import { syncPath } from '../operations/sync/sync-operations.ts';
import { newId } from '../support/random-id.ts';
import { isOfrepPath } from '../worker/ofrep/ofrep-address.ts';
import { type RouteName, routeIndex } from '../worker/route-names.ts';

const detail = 'No worker of the service takes requests at the moment. Retry now.';
const problem = { code: 'service-unavailable', detail } as const;

/**
 * Answers a request when there is no worker for its connection: 503 in the form of its API, and the connection ends.
 * Otherwise the connection would stay with the front end.
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
  const format = apiFormatOf(path, docsUrl);
  const isOfrep = format === null && isOfrepPath(path);
  if (path === '/health') {
    const body = JSON.stringify({ status: 'unavailable', failing: ['workers'] });
    exchange.answerClosing(503, evaluationRetryHeaders, body);
  } else if (isOfrep) {
    // Clients of OFREP treat a 503 as malformed.
    const failure = ofrepFailure(null, { status: 500, code: 'GENERAL', details: detail });
    exchange.answerClosing(500, ofrepRetryHeaders, failure);
  } else if (format !== null) {
    const headers = format.headers(requestId, 503, { contentType: 'application/json' });
    exchange.answerClosing(503, headers, format.envelope(problem));
  } else exchange.answerClosing(503, evaluationRetryHeaders, errorEnvelope(problem, docsUrl));
  const status = isOfrep ? 500 : 503;
  log.warn({ requestId, method: view.method(), route: null, status }, 'no worker takes requests');
}

/** @returns null for a path outside the APIs whose requests have ids */
function apiFormatOf(path: string, docsUrl: string): ApiFormat | null {
  if (isBelow(path, managementApiPath)) return formatOf('management', docsUrl);
  if (isBelow(path, syncPath)) return formatOf('sync', docsUrl);
  return isBelow(path, consoleApiPath) ? formatOf('console', docsUrl) : null;
}

function routeOf(path: string): RouteName {
  if (path === '/health') return 'health';
  if (isBelow(path, managementApiPath)) return 'management-other';
  if (isBelow(path, consoleApiPath)) return 'console-other';
  if (isBelow(path, syncPath)) return 'sync-other';
  if (isOfrepPath(path)) return 'ofrep-other';
  return path === '/v1' || path.startsWith('/v1/') ? 'evaluation-other' : 'other';
}
