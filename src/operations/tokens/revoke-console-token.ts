import { tokenViewSchema } from '../../contracts/console/token-views.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import { tokenAuditEntry } from '../../domain/token/token-audit.ts';
import { findManageableToken } from '../../domain/token/token-management.ts';
import { revoked } from '../../domain/token/token-rotation.ts';
import { consoleWrite, inProject } from '../operation.ts';

/**
 * Revokes a token, active or expired, at once and for good. Repeated, it changes nothing. For the creator or an Admin.
 */
export const revokeConsoleToken = consoleWrite('revoke-console-token', {
  route: 'POST /projects/{projectId}/tokens/{tokenId}/revoke',
  access: inProject('viewer'),
  answer: tokenViewSchema,
  run: (queries, request, principal, context) => {
    const { now } = context;
    const found = findManageableToken(queries, principal, request.params['tokenId'] ?? '', now);
    if (!found.ok) return found;
    const before = found.value;
    if (before.revokedAt !== null) {
      return succeed({ changes: [], reply: { value: consoleTokenView(queries, before, principal, now) } });
    }
    const after = revoked(before, now);
    const stamp = { id: context.newId(), at: now, requestId: request.requestId, address: request.address };
    const changes = [{ field: 'revokedAt', before: null, after: now }];
    const entry = tokenAuditEntry(principal, 'token.revoke', before, changes, stamp);
    return succeed({
      changes: [
        { kind: 'token', before, after },
        { kind: 'audit', entry },
      ],
      reply: { value: consoleTokenView(queries, after, principal, now) },
    });
  },
});
