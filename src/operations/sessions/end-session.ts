import { refuse, succeed } from '../../domain/outcome.ts';
import { consoleWrite, signedIn } from '../operation.ts';
import { closeSession } from './open-session.ts';

/** Ends one of the member's own sessions: the browser that has it is signed out with its next request. */
export const endSession = consoleWrite('end-session', {
  route: 'DELETE /sessions/{sessionId}',
  access: signedIn,
  run: (queries, request, { member }, context) => {
    const session = queries.session(request.params['sessionId'] ?? '');
    if (session === undefined || session.memberId !== member.id) {
      return refuse('not-found', 'You have no session with this id. It may have ended already.');
    }
    return succeed({ changes: closeSession(session, member, request, context), reply: {} });
  },
});
