import { parseManagementQuery, requestedEnvironments } from '../domain/management/management-query.ts';
import { shown } from '../domain/problem-list.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { unknownRoute } from '../operations/answer-management.ts';

/** What a request says about the use of its token. */
export interface UsedBy {
  /** As denials name it; null for a request for no endpoint. */
  readonly route: string | null;
  /** Raw, as received. */
  readonly query: string;
  readonly address: string;
}

/** Denials are recorded by themselves; without the plan a token is not used. */
const refusalStatuses: ReadonlySet<number> = new Set([401, 402, 403]);

/** A request was answered. @param at Unix milliseconds. @returns null when its token was refused */
export function tokenUseOf(
  { route, query, address }: UsedBy,
  status: number,
  tokenId: string,
  at: number,
): TokenUse | null {
  if (refusalStatuses.has(status)) return null;
  return { tokenId, at, route: route ?? unknownRoute, environment: environmentIn(query), address, count: 1 };
}

function environmentIn(query: string): string | null {
  if (query === '') return null;
  const [environment] = requestedEnvironments(parseManagementQuery(query));
  return environment === undefined ? null : shown(environment);
}
