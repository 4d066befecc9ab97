import type { LinkBody } from '../../../contracts/console/console-bodies.ts';
import type { LinkView } from '../../../contracts/console/console-views.ts';
import type { PublicRead } from '../../../contracts/console/public-handler.ts';
import { allow, type ConsoleOutcome } from '../../../domain/console/console-problem.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { findUsableLink, linkOver } from '../../../domain/session/find-usable-link.ts';
import type { OneTimeLink } from '../../../domain/session/one-time-link.ts';

/** What following a link would do. Looking does not use it up. */
export const inspectLink: PublicRead<LinkBody> = (queries, { body }, _principal, context) => {
  const found = findUsableLink(queries, body.secret, context);
  if (!found.ok) return found;
  const view = linkView(queries, found.value);
  return view.ok ? allow({ value: view.value }) : view;
};

function linkView(queries: RecordQueries, link: OneTimeLink): ConsoleOutcome<LinkView> {
  const { purpose, organisationId, expiresAt } = link;
  const organisationName = queries.organisation(organisationId)?.name;
  if (organisationName === undefined) return linkOver();
  const shared = { organisationName, expiresAt };
  const asks = { needsName: true, needsPassword: true };
  switch (purpose.kind) {
    case 'invitation': {
      const { kind, email, role } = purpose;
      return allow({ kind, email, role, name: null, ...shared, ...asks });
    }
    case 'first-owner':
      return allow({ kind: 'first-owner', email: null, role: 'owner', name: null, ...shared, ...asks });
    case 'sign-in': {
      const member = queries.member(purpose.memberId);
      if (member === undefined) return linkOver();
      // Some organisation keeps the link of a person who belongs to none: it is not theirs, and neither is the role.
      const own =
        member.organisationId === null ? { organisationName: null, role: null } : { role: member.role };
      const { email, name } = member;
      const asksNothing = { needsName: false, needsPassword: false };
      return allow({ kind: 'sign-in', email, name, ...shared, ...own, ...asksNothing });
    }
  }
}
