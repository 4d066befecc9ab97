import { type SessionRow, sessionRowSchema } from '../../contracts/console/session-views.ts';
import { succeed } from '../../domain/outcome.ts';
import { isSessionOver, type Session, sessionEndsAt } from '../../domain/session/session.ts';
import { listOf } from '../body-parts.ts';
import { consoleRead, signedIn } from '../operation.ts';

/** The member's own open sessions, last used first. */
export const listSessions = consoleRead('list-sessions', {
  route: 'GET /sessions',
  access: signedIn,
  answer: listOf('sessions', sessionRowSchema),
  run: (queries, _request, { session, member }, { now }) => {
    const open = [...queries.sessionsOf(member.id)].filter((other) => !isSessionOver(other, now));
    const sessions = open
      .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
      .map((other) => sessionRow(other, session.id));
    return succeed({ value: { sessions } });
  },
});

function sessionRow(session: Session, currentId: string): SessionRow {
  const { id, createdAt, lastSeenAt, address, userAgent } = session;
  const isCurrent = id === currentId;
  return { id, isCurrent, createdAt, lastSeenAt, endsAt: sessionEndsAt(session), address, userAgent };
}
