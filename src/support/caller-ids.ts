/** The ids that a caller gives its request, for the log. Absent or malformed ones are left out. */
export interface CallerIds {
  /** The trace that the request is part of: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** The id that a proxy or client has given the request. */
  readonly clientRequestId?: string;
}

/** Version, trace id, parent id, flags. A later version may have more after them. */
const traceParent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;
/** Enough for a UUID, a ULID and the ids of proxies; but no characters that could look like two fields in the log. */
const requestIdForm = /^[\w.:+/=@-]{1,128}$/;
const none: CallerIds = {};

/**
 * @param traceParents values of the `traceparent` headers (W3C Trace Context): several make none
 * @param requestIds values of the `X-Request-Id` headers
 */
export function readCallerIds(traceParents: readonly string[], requestIds: readonly string[]): CallerIds {
  if (traceParents.length === 0 && requestIds.length === 0) return none;
  const traceId = traceIdOf(traceParents);
  const clientRequestId = requestIds.length === 1 ? requestIdForm.exec(requestIds[0] ?? '')?.[0] : undefined;
  if (traceId === undefined) return clientRequestId === undefined ? none : { clientRequestId };
  return clientRequestId === undefined ? { traceId } : { traceId, clientRequestId };
}

function traceIdOf([value = '', ...others]: readonly string[]): string | undefined {
  const [, version, traceId, parentId, more] = traceParent.exec(value) ?? [];
  if (others.length > 0 || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return isZero(traceId) || isZero(parentId) ? undefined : traceId;
}

/** An id of only zeros is invalid. */
function isZero(id: string | undefined): boolean {
  return id !== undefined && /^0+$/.test(id);
}
