import { succeed } from '../../domain/outcome.ts';
import { consoleWrite, signedIn } from '../operation.ts';

/** Ends the session that asks. */
export const signOut = consoleWrite('sign-out', {
  route: 'DELETE /session',
  access: signedIn,
  run: (_queries, _request, { session }) =>
    succeed({ changes: [{ kind: 'session', before: session, after: null }], reply: {} }),
});
