import { allow } from '../../domain/console/console-problem.ts';
import { consoleWrite, signedIn } from '../operation.ts';

/** Ends the session that asks. */
export const signOut = consoleWrite('sign-out', {
  route: 'DELETE /session',
  access: signedIn,
  run: (_queries, _request, { session }) =>
    allow({ changes: [{ kind: 'session', before: session, after: null }], reply: {} }),
});
