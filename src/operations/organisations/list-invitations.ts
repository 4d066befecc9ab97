import { type InvitationRow, invitationRowSchema } from '../../contracts/console/member-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { type Invitation, isOpenInvitation } from '../../domain/member/invitation.ts';
import { memberOf } from '../../domain/member/member-rules.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { listReply } from '../list-reply.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

/** After this many links a worker checks for other work. */
const linksAtOnce = 25;

/** Invitations that can still be used, newest first. */
export const listInvitations = consoleRead('list-invitations', {
  route: 'GET /invitations',
  inPieces: true,
  access: inOrganisation('admin'),
  answer: listOf('invitations', invitationRowSchema),
  run: (queries, _request, principal, { now }) =>
    listReply('invitations', rows(queries, ownOrganisation(principal).id, now)),
});

/** @returns a null now and then, so that the worker serves other requests */
function* rows(queries: RecordQueries, organisationId: string, now: number): Generator<InvitationRow | null> {
  const open: Invitation[] = [];
  let walked = 0;
  for (const link of queries.oneTimeLinksOf(organisationId)) {
    if (isOpenInvitation(queries, link, now)) open.push(link);
    walked += 1;
    if (walked % linksAtOnce === 0) yield null;
  }
  open.sort((left, right) => right.createdAt - left.createdAt);
  for (const invitation of open) yield rowOf(queries, invitation);
}

function rowOf(queries: RecordQueries, invitation: Invitation): InvitationRow {
  const { id, purpose, createdAt, createdBy, expiresAt, organisationId } = invitation;
  const creator = createdBy === null ? undefined : memberOf(queries, organisationId, createdBy);
  const { email, role } = purpose;
  return { id, email, role, createdAt, expiresAt, createdByName: creator?.name ?? null };
}
