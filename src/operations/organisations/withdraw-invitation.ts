import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { openInvitations } from '../../domain/member/invitation.ts';
import { managesRole } from '../../domain/member/member-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { organisationEntry } from '../audit-entries.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';

/** The link stops working at once. */
export const withdrawInvitation = consoleWrite('withdraw-invitation', {
  route: 'DELETE /invitations/{linkId}',
  access: inOrganisation('admin'),
  run: (queries, request, principal, context) => {
    const open = openInvitations(queries, ownOrganisation(principal).id, context.now);
    const before = open.find(({ id }) => id === request.params['linkId']);
    if (before === undefined)
      return refuse('not-found', 'Your organisation has no open invitation with this id.');
    const { email, role } = before.purpose;
    if (!managesRole(principal.member.role, role)) {
      return refuse(
        'not-permitted',
        'Only an Owner can withdraw the invitation of an Owner. Ask an Owner to do it.',
      );
    }
    const entry = organisationEntry(request, principal, context, {
      action: 'member.withdraw-invitation',
      targetId: before.id,
      targetName: email,
      changes: Object.entries({ email, role }).map(([field, was]) => ({ field, before: was, after: null })),
    });
    return succeed({ changes: [{ kind: 'one-time-link', before, after: null }, entry], reply: {} });
  },
});
