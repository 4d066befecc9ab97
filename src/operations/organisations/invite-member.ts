import { madeLinkSchema } from '../../contracts/console/member-views.ts';
import { roleSchema, shape, text } from '../../contracts/console/view-parts.ts';
import { emailCharsMax, membersMax } from '../../domain/bounds.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { type Invitation, openInvitations } from '../../domain/member/invitation.ts';
import { isEmailAddress, isSameEmail } from '../../domain/member/member.ts';
import { hasMemberWithEmail, managesRole, membersOf } from '../../domain/member/member-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { mayStillMake } from '../../domain/session/link-rules.ts';
import { invitationLifetimeMs, isLinkOver } from '../../domain/session/one-time-link.ts';
import { facts, organisationEntry } from '../audit-entries.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';
import { makeLink } from './make-link.ts';

export const badEmail = `email must be an email address of at most ${emailCharsMax} characters, like name@example.com`;

export const takenEmail = 'A member of your organisation has this email already.';

/** Makes a link that lets a new member join. The organisation's expired links are deleted. */
export const inviteMember = consoleWrite('invite-member', {
  route: 'POST /invitations',
  access: inOrganisation('admin'),
  body: shape({ email: text, role: roleSchema }),
  answer: madeLinkSchema,
  run: (queries, request, principal, context) => {
    const { id: organisationId } = ownOrganisation(principal);
    const email = request.body.email.trim();
    const { role } = request.body;
    if (!isEmailAddress(email)) return refuse('invalid-request', badEmail);
    if (!managesRole(principal.member.role, role)) {
      return refuse('not-permitted', 'Only an Owner can invite an Owner. Ask an Owner to do it.');
    }
    const refusal = refuseInvitation(queries, organisationId, email, context.now);
    if (refusal !== null) return refuse('invalid-request', refusal);
    const purpose = { kind: 'invitation', email, role } as const;
    const createdBy = principal.member.id;
    const plan = { organisationId, purpose, createdBy, lifetimeMs: invitationLifetimeMs };
    const { link, made } = makeLink(plan, context);
    const entry = organisationEntry(request, principal, context, {
      action: 'member.invite',
      targetId: link.id,
      targetName: email,
      changes: facts({ email, role, linkExpiresAt: link.expiresAt }),
    });
    const useless = [...uselessLinks(queries, organisationId, context.now)];
    const changes = [...useless, { kind: 'one-time-link', before: null, after: link } as const, entry];
    return succeed({ changes, reply: { status: 201, value: made } });
  },
});

/** @returns why this email cannot be invited now, or null. */
function refuseInvitation(
  queries: RecordQueries,
  organisationId: string,
  email: string,
  now: number,
): string | null {
  if (hasMemberWithEmail(queries, organisationId, email)) return takenEmail;
  const open = openInvitations(queries, organisationId, now);
  if (open.some((invitation) => isSameEmail(invitation.purpose.email, email))) {
    return 'This email has an open invitation. Withdraw it to make another one.';
  }
  return refuseMore(queries, organisationId, open);
}

function refuseMore(queries: RecordQueries, organisationId: string, open: readonly Invitation[]) {
  let count = open.length;
  for (const _ of membersOf(queries, organisationId)) count += 1;
  if (count < membersMax) return null;
  return `Your organisation has ${membersMax} members and open invitations, which is the limit. Remove some first.`;
}

function* uselessLinks(queries: RecordQueries, organisationId: string, now: number): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(organisationId)) {
    const isUseless = isLinkOver(before, now) || !mayStillMake(queries, before);
    if (isUseless) yield { kind: 'one-time-link', before, after: null };
  }
}
