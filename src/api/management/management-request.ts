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
}

export function copyManagementRequest(
  request: RequestView,
  requestId: string,
  from: { readonly text: string; readonly limitKey: string },
): ManagementRequest {
  const method = request.method();
  const declared = request.header('content-length');
  return {
    requestId,
    method,
    ...matchManagementRoute(method, request.path()),
    query: request.query(),
    authorization: request.headerValues('authorization')[0] ?? null,
    address: from.text,
    limitKey: from.limitKey,
    declaredBytes: declared === '' ? null : Number(declared),
  };
}
