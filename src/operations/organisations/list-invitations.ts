import { type InvitationRow, invitationRowSchema } from '../../contracts/console/member-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { type Invitation, openInvitations } from '../../domain/member/invitation.ts';
import { memberOf } from '../../domain/member/member-rules.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

/** Invitations that can still be used, newest first. */
export const listInvitations = consoleRead('list-invitations', {
  route: 'GET /invitations',
  access: inOrganisation('admin'),
  answer: listOf('invitations', invitationRowSchema),
  run: (queries, _request, principal, { now }) => {
    const open = openInvitations(queries, ownOrganisation(principal).id, now);
    const newestFirst = open.toSorted((left, right) => right.createdAt - left.createdAt);
    return succeed({ value: { invitations: newestFirst.map((invitation) => rowOf(queries, invitation)) } });
  },
});

function rowOf(queries: RecordQueries, invitation: Invitation): InvitationRow {
  const { id, purpose, createdAt, createdBy, expiresAt, organisationId } = invitation;
  const creator = createdBy === null ? undefined : memberOf(queries, organisationId, createdBy);
  const { email, role } = purpose;
  return { id, email, role, createdAt, expiresAt, createdByName: creator?.name ?? null };
}
