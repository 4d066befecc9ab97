import { type TokenActivity, tokenActivitySchema } from '../../contracts/console/token-views.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import { findToken } from '../../domain/token/token-management.ts';
import { consoleRead, inProject } from '../operation.ts';

/** Names of so many different flags are looked up: the newest denials matter. */
const flagsNamedMax = 100;

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
    const flagOf = flagFinder(queries, principal.project.id);
    const denials = Array.from(queries.denialsOf(id), ({ tokenId: _, flagId, ...denial }) => {
      return { ...denial, flag: flagId === undefined ? null : flagOf(flagId) };
    });
    return succeed({
      value: { token: consoleTokenView(queries, found.value, principal, now), uses, denials },
    });
  },
});

/** Another project's flag is unknown here, like one that does not exist. A flag is not read for its name. */
function flagFinder(queries: RecordQueries, projectId: string) {
  const known = new Map<string, TokenActivity['denials'][number]['flag']>();
  return (id: string) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    if (known.size >= flagsNamedMax) return { id, name: null };
    const [, ofProject, name] = queries.foundFlag(id)?.begin(3) ?? [];
    const flag = { id, name: ofProject === projectId && typeof name === 'string' ? name : null };
    known.set(id, flag);
    return flag;
  };
}
