import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { editMember } from './edit-member.ts';
import { editOrganisation } from './edit-organisation.ts';
import { inviteMember } from './invite-member.ts';
import { makeSignInLink } from './make-sign-in-link.ts';
import { removeMember } from './remove-member.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

/** Changes of the organisation and of who belongs to it. */
export const organisationCommands = {
  'edit-organisation': { scope: 'member', run: editOrganisation },
  'edit-member': { scope: 'member', run: editMember },
  'remove-member': { scope: 'member', run: removeMember },
  'make-sign-in-link': { scope: 'member', run: makeSignInLink },
  'invite-member': { scope: 'member', run: inviteMember },
  'withdraw-invitation': { scope: 'member', run: withdrawInvitation },
} satisfies Partial<Record<ConsoleOperationId, ConsoleCommandEntry>>;
