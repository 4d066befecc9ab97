import { madeLinkSchema } from '../../contracts/console/member-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { withdrawSignInLinks } from '../../domain/session/link-rules.ts';
import { linkLifetimeMs } from '../../domain/session/one-time-link.ts';
import { organisationEntry } from '../audit-entries.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';
import { madeLinkChanges, makeLink } from './make-link.ts';
import { managedMember } from './managed-member.ts';

const forOneself =
  'A sign-in link is for somebody else. Set your own password under Settings, or ask another Admin for a link.';

/**
 * Makes a link that signs a member in, who may then set a password. It replaces an earlier link. A member
 * cannot make one for themselves: a person with a stolen session could bypass the present password with it.
 */
export const makeSignInLink = consoleWrite('make-sign-in-link', {
  route: 'POST /members/{memberId}/sign-in-link',
  access: inOrganisation('admin'),
  answer: madeLinkSchema,
  run: (queries, request, principal, context) => {
    const found = managedMember(queries, principal, request.params['memberId']);
    if (!found.ok) return found;
    const { id, name } = found.value;
    if (id === principal.member.id) return refuse('not-permitted', forOneself);
    const { link, made } = makeLink(
      {
        organisationId: ownOrganisation(principal).id,
        purpose: { kind: 'sign-in', memberId: id },
        createdBy: principal.member.id,
        lifetimeMs: linkLifetimeMs,
      },
      context,
    );
    const entry = organisationEntry(request, principal, context, {
      action: 'member.make-sign-in-link',
      targetId: id,
      targetName: name,
      changes: madeLinkChanges(link),
    });
    const former = withdrawSignInLinks(queries, found.value, null);
    const changes = [...former, { kind: 'one-time-link', before: null, after: link } as const, entry];
    return succeed({ changes, reply: { status: 201, value: made } });
  },
});
