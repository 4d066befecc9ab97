import type { ManagementRoute } from '../../contracts/management/management-call.ts';
import { decodeSegment } from '../path-segment.ts';

/** @param path as received */
export function isManagementPath(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

/** What a method and path ask for; `route` is null when there is no such endpoint. */
export interface MatchedRoute {
  readonly route: ManagementRoute | null;
  readonly flagId: string | null;
}

const noRoute: MatchedRoute = { route: null, flagId: null };

function match(route: ManagementRoute): MatchedRoute {
  return { route, flagId: null };
}

function matchFlag(method: string, segment: string): MatchedRoute {
  const flagId = decodeSegment(segment);
  if (method === 'get') return { route: 'read-flag', flagId };
  return method === 'patch' ? { route: 'patch-flag', flagId } : noRoute;
}

/**
 * @param method in lower case
 * @param path as received, undecoded; it begins with `/api/v1`
 */
export function matchManagementRoute(method: string, path: string): MatchedRoute {
  const [first, second, ...rest] = path.split('/').slice(3);
  if (rest.length > 0) return noRoute;
  if (first === 'token' && second === undefined && method === 'get') return match('read-token');
  if (first !== 'flags') return noRoute;
  if (second !== undefined) return second === '' ? noRoute : matchFlag(method, second);
  if (method === 'get') return match('list-flags');
  return method === 'post' ? match('create-flag') : noRoute;
}
