import type { TokenUse } from '../domain/token/token-use.ts';
import { environmentIn, unknownRoute } from '../operations/dispatch.ts';

/** The request's part of a token use. */
export interface UsedBy {
  /** The endpoint's name in denials; null for a request without an endpoint. */
  readonly route: string | null;
  /** Raw, as received. */
  readonly query: string;
  readonly address: string;
}

/** Not counted as uses: denials are recorded as such, a request without the plan uses no token, and the others were not carried out. */
const refusalStatuses: ReadonlySet<number> = new Set([401, 402, 403, 408, 503]);

/** Makes the use for an answered request. @param at Unix milliseconds. @returns null when its token was refused */
export function tokenUseOf(
  { route, query, address }: UsedBy,
  status: number,
  tokenId: string,
  at: number,
): TokenUse | null {
  if (refusalStatuses.has(status)) return null;
  return { tokenId, at, route: route ?? unknownRoute, environment: environmentIn(query), address, count: 1 };
}
