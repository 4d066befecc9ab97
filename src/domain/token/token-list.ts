import type { RecordQueries } from '../record-queries.ts';
import type { Token } from './token.ts';

/** Revoked tokens are kept for ever; this many of them are listed. */
export const revokedTokensListedMax = 200;

/** A project's tokens: first those that are not revoked, by name, then the most recently revoked. */
export function listedTokens(queries: RecordQueries, projectId: string): readonly Token[] {
  const tokens = [...queries.tokensOf(projectId)];
  const unrevoked = tokens.filter(({ revokedAt }) => revokedAt === null);
  const gone = tokens.filter(({ revokedAt }) => revokedAt !== null);
  unrevoked.sort((one, other) => compareTexts(one.name, other.name) || one.createdAt - other.createdAt);
  gone.sort((one, other) => (other.revokedAt ?? 0) - (one.revokedAt ?? 0));
  return [...unrevoked, ...gone.slice(0, revokedTokensListedMax)];
}

/** An expired token counts until it is revoked (specification: limits). */
export function countUnrevoked(queries: RecordQueries, projectId: string): number {
  let count = 0;
  for (const { revokedAt } of queries.tokensOf(projectId)) if (revokedAt === null) count += 1;
  return count;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
