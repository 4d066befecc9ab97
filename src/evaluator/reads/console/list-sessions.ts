import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import type { SessionRow } from '../../../contracts/console/views/session-views.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { isSessionOver, type Session, sessionEndsAt } from '../../../domain/session/session.ts';

/** The member's own open sessions, the last used first. */
export const listSessions: ConsoleRead = (queries, _request, { session, member }, { now }) => {
  const open = [...queries.sessionsOf(member.id)].filter((other) => !isSessionOver(other, now));
  const sessions = open
    .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
    .map((other) => sessionRow(other, session.id));
  return allow({ value: { sessions } });
};

function sessionRow(session: Session, currentId: string): SessionRow {
  const { id, createdAt, lastSeenAt, address, userAgent } = session;
  const isCurrent = id === currentId;
  return { id, isCurrent, createdAt, lastSeenAt, endsAt: sessionEndsAt(session), address, userAgent };
}
