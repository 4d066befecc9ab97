import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { consoleTokenView } from '../../../domain/token/console-token-view.ts';
import { listedTokens } from '../../../domain/token/token-list.ts';

/** A project's tokens; of the revoked ones the newest. Below eligibility they are shown all the same. */
export const listTokens: ProjectRead = (queries, _request, principal, { now }) => {
  const tokens = listedTokens(queries, principal.project.id);
  return allow({
    value: { tokens: tokens.map((token) => consoleTokenView(queries, token, principal, now)) },
  });
};
