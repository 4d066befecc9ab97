import { tokenActivitySchema } from '../../contracts/console/token-views.ts';
import { allow } from '../../domain/console/console-problem.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import { findToken } from '../../domain/token/token-management.ts';
import { consoleRead, inProject } from '../operation.ts';

/** A token's page: its uses and denials, newest first, as far back as rows are kept. */
export const readTokenActivity = consoleRead('read-token-activity', {
  route: 'GET /projects/{projectId}/tokens/{tokenId}',
  access: inProject('viewer'),
  answer: tokenActivitySchema,
  run: (queries, request, principal, { now }) => {
    const found = findToken(queries, principal, request.params['tokenId'] ?? '');
    if (!found.ok) return found;
    const { id } = found.value;
    const uses = Array.from(queries.usesOf(id), ({ tokenId: _, ...use }) => use);
    const denials = Array.from(queries.denialsOf(id), ({ tokenId: _, ...denial }) => denial);
    return allow({ value: { token: consoleTokenView(queries, found.value, principal, now), uses, denials } });
  },
});
