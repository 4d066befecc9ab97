import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { listInvitations } from './list-invitations.ts';
import { listMembers } from './list-members.ts';
import { readMailState } from './read-mail-state.ts';
import { readOrganisation } from './read-organisation.ts';

/** The organisation and who belongs to it. */
export const organisationReads = {
  'read-organisation': { scope: 'member', run: readOrganisation },
  'read-mail-state': { scope: 'member', run: readMailState },
  'list-members': { scope: 'member', run: listMembers },
  'list-invitations': { scope: 'member', run: listInvitations },
} satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
