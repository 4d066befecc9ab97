import { tokenViewSchema } from '../../contracts/console/token-views.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import { listedTokens } from '../../domain/token/token-list.ts';
import { listOf } from '../body-parts.ts';
import { consoleRead, inProject } from '../operation.ts';

/** A project's tokens, with the newest of the revoked ones. They are listed below eligibility, too. */
export const listTokens = consoleRead('list-tokens', {
  route: 'GET /projects/{projectId}/tokens',
  access: inProject('viewer'),
  answer: listOf('tokens', tokenViewSchema),
  run: (queries, _request, principal, { now }) => {
    const tokens = listedTokens(queries, principal.project.id);
    return succeed({
      value: { tokens: tokens.map((token) => consoleTokenView(queries, token, principal, now)) },
    });
  },
});
