import { madeTokenSchema } from '../../contracts/console/token-views.ts';
import type { AuditChange } from '../../domain/audit/audit-entry.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import type { Token } from '../../domain/token/token.ts';
import { newTokenChanges, tokenAuditEntry } from '../../domain/token/token-audit.ts';
import { ProjectTokens } from '../../domain/token/token-list.ts';
import { findManageableToken } from '../../domain/token/token-management.ts';
import { replacementOf, revoked, rotationProblem } from '../../domain/token/token-rotation.ts';
import { consoleWrite, inProject } from '../operation.ts';

/**
 * Replaces an active token: the original is revoked and its replacement created in one transaction, so the limit holds.
 */
export const rotateToken = consoleWrite('rotate-token', {
  route: 'POST /projects/{projectId}/tokens/{tokenId}/rotate',
  access: inProject('viewer'),
  answer: madeTokenSchema,
  run: (queries, request, principal, context) => {
    const { now, tokenPrefix } = context;
    const found = findManageableToken(queries, principal, request.params['tokenId'] ?? '', now);
    if (!found.ok) return found;
    const before = found.value;
    const problem = rotationProblem(before, now);
    if (problem !== null) {
      return refuse('conflict', problem, { current: consoleTokenView(queries, before, principal, now) });
    }
    const secret = context.newSecret();
    const made = { id: context.newId(), by: principal.member.id, at: now };
    const replacement = replacementOf(before, made, context.hashSecret(secret));
    const { requestId, address } = request;
    const stamp = () => ({ id: context.newId(), at: now, requestId, address });
    const changes = [
      { field: 'revokedAt', before: null, after: now },
      { field: 'replacedBy', before: null, after: replacement.id },
    ];
    const rotation = tokenAuditEntry(principal, 'token.rotate', before, changes, stamp());
    const creation = tokenAuditEntry(
      principal,
      'token.create',
      replacement,
      origin(replacement, before),
      stamp(),
    );
    return succeed({
      changes: [
        ...new ProjectTokens(queries, before.projectId).dropOldest(),
        { kind: 'token', before, after: revoked(before, now) },
        { kind: 'token', before: null, after: replacement },
        { kind: 'audit', entry: rotation },
        { kind: 'audit', entry: creation },
      ],
      reply: {
        status: 201,
        value: {
          token: consoleTokenView(queries, replacement, principal, now),
          secret: `${tokenPrefix}_${secret}`,
        },
      },
    });
  },
});

/** The audit entry of the new token is complete by itself: it has the permission and the token's origin. */
function origin(replacement: Token, before: Token): AuditChange[] {
  return [...newTokenChanges(replacement), { field: 'replaces', before: null, after: before.id }];
}
