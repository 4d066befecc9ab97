import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import type { InvitationRow } from '../../../contracts/console/views/member-views.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { ownOrganisation } from '../../../domain/console/own-organisation.ts';
import { type Invitation, openInvitations } from '../../../domain/member/invitation.ts';
import { memberOf } from '../../../domain/member/member-rules.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';

/** Those that can still be used, newest first. */
export const listInvitations: ConsoleRead = (queries, _request, principal, { now }) => {
  const open = openInvitations(queries, ownOrganisation(principal).id, now);
  const newestFirst = open.toSorted((left, right) => right.createdAt - left.createdAt);
  return allow({ value: { invitations: newestFirst.map((invitation) => rowOf(queries, invitation)) } });
};

function rowOf(queries: RecordQueries, invitation: Invitation): InvitationRow {
  const { id, purpose, createdAt, createdBy, expiresAt, organisationId } = invitation;
  const creator = createdBy === null ? undefined : memberOf(queries, organisationId, createdBy);
  const { email, role } = purpose;
  return { id, email, role, createdAt, expiresAt, createdByName: creator?.name ?? null };
}
