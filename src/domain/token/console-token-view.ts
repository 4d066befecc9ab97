import type { ProjectPrincipal } from '../console/console-principal.ts';
import type { RecordQueries } from '../record-queries.ts';
import { type Permission, type Token, type TokenStatus, tokenStatus } from './token.ts';
import { allowTokenChanges, mayManage } from './token-management.ts';

/** A token as the console shows it. */
interface ConsoleTokenView {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  readonly environments: readonly string[] | null;
  readonly status: TokenStatus;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly createdById: string | null;
  /** Null when the operator made it, or the member was deleted. */
  readonly createdByName: string | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastDeniedAt: number | null;
  /** Whether the asking member may revoke it, and rotate it while it is active. */
  readonly isManageable: boolean;
}

export function consoleTokenView(
  queries: RecordQueries,
  token: Token,
  principal: ProjectPrincipal,
  now: number,
): ConsoleTokenView {
  const { id, name, permission, environments, expiresAt, createdAt, createdBy, revokedAt } = token;
  return {
    ...{ id, name, permission, environments, status: tokenStatus(token, now), expiresAt, createdAt },
    createdById: createdBy,
    createdByName: createdBy === null ? null : (queries.member(createdBy)?.name ?? null),
    revokedAt,
    lastUsedAt: timeOfFirst(queries.usesOf(id)),
    lastDeniedAt: timeOfFirst(queries.denialsOf(id)),
    isManageable: allowTokenChanges(principal, now).ok && mayManage(token, principal),
  };
}

function timeOfFirst(newestFirst: Iterable<{ readonly at: number }>): number | null {
  for (const { at } of newestFirst) return at;
  return null;
}
