import { memberView } from '../../contracts/console/member-views.ts';
import { organisationView } from '../../contracts/console/organisation-views.ts';
import { type SessionView, sessionViewSchema } from '../../contracts/console/session-views.ts';
import { formatPosition, newestPosition } from '../../domain/audit/watch-position.ts';
import { succeed } from '../../domain/outcome.ts';
import { hasMembers } from '../../domain/session/first-owner-offer.ts';
import { anybody, consoleRead } from '../operation.ts';

/** The member who is signed in, if any: the web app's first request. */
export const readSession = consoleRead('read-session', {
  route: 'GET /session',
  access: anybody,
  answer: sessionViewSchema,
  run: (queries, _request, principal, context) => {
    const { openIdName, isMailConfigured, isCluster, shown, now } = context;
    if (principal === null) {
      const view: SessionView = { isSignedIn: false, openIdName, hasMembers: hasMembers(queries) };
      return succeed({ value: view });
    }
    const { session, member, organisation } = principal;
    const watched = { organisationId: member.organisationId, project: null };
    const value: SessionView = {
      isSignedIn: true,
      openIdName,
      sessionId: session.id,
      member: memberView(queries, member),
      organisation: organisation === null ? null : organisationView(organisation, now),
      position: formatPosition(newestPosition(queries, watched)),
      isMailConfigured,
      isCluster,
      ...shown,
    };
    return succeed({ value });
  },
});
