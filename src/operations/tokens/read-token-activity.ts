import { type TokenActivity, tokenActivitySchema } from '../../contracts/console/token-views.ts';
import type { ProjectPrincipal } from '../../domain/console/console-principal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import type { Token } from '../../domain/token/token.ts';
import { findToken } from '../../domain/token/token-management.ts';
import type { Steps } from '../../support/steps.ts';
import { slowReply } from '../list-reply.ts';
import { consoleRead, inProject } from '../operation.ts';

/** After this many rows a worker checks for other work. */
const rowsAtOnce = 100;

/** The most different flags whose names are looked up: the newest denials matter. */
const flagsNamedMax = 100;

/** A token's page: its uses and denials, newest first, as far back as rows are kept. */
export const readTokenActivity = consoleRead('read-token-activity', {
  route: 'GET /projects/{projectId}/tokens/{tokenId}',
  inPieces: true,
  access: inProject('viewer'),
  answer: tokenActivitySchema,
  run: (queries, request, principal, { now }) => {
    const found = findToken(queries, principal, request.params['tokenId'] ?? '');
    if (!found.ok) return found;
    return slowReply(activityOf(queries, found.value, principal, now));
  },
});

function* activityOf(
  queries: RecordQueries,
  token: Token,
  principal: ProjectPrincipal,
  now: number,
): Steps<object> {
  const uses: TokenActivity['uses'] = [];
  for (const { tokenId: _, ...use } of queries.usesOf(token.id)) {
    uses.push(use);
    if (uses.length % rowsAtOnce === 0) yield;
  }
  const flagOf = flagFinder(queries, principal.project.id);
  const denials: TokenActivity['denials'] = [];
  for (const { tokenId: _, flagId, ...denial } of queries.denialsOf(token.id)) {
    denials.push({ ...denial, flag: flagId === undefined ? null : flagOf(flagId) });
    if (denials.length % rowsAtOnce === 0) yield;
  }
  return { token: consoleTokenView(queries, token, principal, now), uses, denials };
}

/** Another project's flag is unknown here, like one that does not exist. */
function flagFinder(queries: RecordQueries, projectId: string) {
  const known = new Map<string, TokenActivity['denials'][number]['flag']>();
  return (id: string) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    if (known.size >= flagsNamedMax) return { id, name: null };
    const flag = queries.flag(id);
    const named = { id, name: flag?.projectId === projectId ? flag.name : null };
    known.set(id, named);
    return named;
  };
}
