import type { ConsoleCommand } from '../../../contracts/console/console-handler.ts';
import { allow } from '../../../domain/console/console-problem.ts';

/** Ends the session that asks. */
export const signOut: ConsoleCommand<null> = (_queries, _request, { session }) =>
  allow({ changes: [{ kind: 'session', before: session, after: null }], reply: {} });
