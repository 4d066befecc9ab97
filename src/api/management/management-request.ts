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

/**
 * Whether the headers disagree on where the body ends: such a request could be read differently by a proxy in front
 * (request smuggling), so it is refused and its connection closed.
 */
export function hasAmbiguousLength(request: RequestView): boolean {
  const lengths = request.headerValues('content-length');
  const encodings = request.headerValues('transfer-encoding');
  if (lengths.some((length) => !/^\d{1,15}$/.test(length))) return true;
  if (new Set(lengths).size > 1 || encodings.length > 1) return true;
  if (encodings.length === 1 && lengths.length > 0) return true;
  return encodings.length === 1 && encodings[0]?.toLowerCase() !== 'chunked';
}
