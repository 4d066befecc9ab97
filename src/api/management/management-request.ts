import type { ManagementRoute } from '../../contracts/management/management-call.ts';
import type { RequestView } from '../../http/request-view.ts';
import { type MatchedRoute, matchManagementRoute } from './management-route.ts';

/** What is kept of a Management API request after its handler has returned. */
export interface ManagementRequest extends MatchedRoute {
  readonly requestId: string;
  /** In lower case. */
  readonly method: string;
  readonly query: string;
  readonly authorization: string | null;
  /** For the log and denial records. */
  readonly address: string;
  /** What the per-address limits count by. */
  readonly limitKey: string;
  /** From Content-Length; null when there is none. */
  readonly declaredBytes: number | null;
  /** What a route knows beside the token. The server takes at most 16 KiB of headers, so these are bounded too. */
  readonly ifNoneMatch: string | null;
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
}

export function copyManagementRequest(
  request: RequestView,
  requestId: string,
  from: { readonly text: string; readonly limitKey: string },
): ManagementRequest {
  const method = request.method();
  const declared = request.header('content-length');
  const matched = matchManagementRoute(method, request.path());
  const headerOf = (route: ManagementRoute, name: string): string | null =>
    matched.route === route ? request.joinedHeader(name) : null;
  return {
    requestId,
    method,
    ...matched,
    query: request.query(),
    authorization: request.headerValues('authorization')[0] ?? null,
    address: from.text,
    limitKey: from.limitKey,
    declaredBytes: declared === '' ? null : Number(declared),
    ifNoneMatch: headerOf('read-flag', 'if-none-match'),
    ifMatch: headerOf('patch-flag', 'if-match'),
    idempotencyKey: headerOf('create-flag', 'idempotency-key'),
  };
}
