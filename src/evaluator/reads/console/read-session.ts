import { memberView } from '../../../contracts/console/member-view.ts';
import { organisationView } from '../../../contracts/console/organisation-view.ts';
import type { PublicRead } from '../../../contracts/console/public-handler.ts';
import type { SessionView } from '../../../contracts/console/views/session-views.ts';
import { formatPosition, newestPosition } from '../../../domain/audit/watch-position.ts';
import { allow } from '../../../domain/console/console-problem.ts';

/** Whoever is signed in, or that nobody is: what the web app asks first. */
export const readSession: PublicRead<null> = (queries, _request, principal, context) => {
  const { openIdName, isMailConfigured, docsUrl, baseUrl, now } = context;
  if (principal === null) return allow({ value: { isSignedIn: false, openIdName } satisfies SessionView });
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
    docsUrl,
    baseUrl,
  };
  return allow({ value });
};
