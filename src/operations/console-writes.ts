// Generated from the files of operations by scripts/lib/operation-tables.mjs, with each build. Do not edit.
import { createAudience } from './audiences/create-audience.ts';
import { deleteAudience } from './audiences/delete-audience.ts';
import { editAudience } from './audiences/edit-audience.ts';
import { recordExport, recordProjectExport } from './audit/record-export.ts';
import { createConsoleFlag } from './flags/create-console-flag.ts';
import { deleteFlag } from './flags/delete-flag.ts';
import { editFlag } from './flags/edit-flag.ts';
import { editMember } from './organisations/edit-member.ts';
import { editOrganisation } from './organisations/edit-organisation.ts';
import { inviteMember } from './organisations/invite-member.ts';
import { makeSignInLink } from './organisations/make-sign-in-link.ts';
import { removeMember } from './organisations/remove-member.ts';
import { withdrawInvitation } from './organisations/withdraw-invitation.ts';
import { createEnvironment } from './projects/create-environment.ts';
import { createProject } from './projects/create-project.ts';
import { deleteEnvironment } from './projects/delete-environment.ts';
import { editEnvironment } from './projects/edit-environment.ts';
import { editProject } from './projects/edit-project.ts';
import { beginOpenIdSession } from './sessions/begin-open-id-session.ts';
import { beginSessionByPassword } from './sessions/begin-session-by-password.ts';
import { consumeLink } from './sessions/consume-link.ts';
import { editOwnName } from './sessions/edit-own-name.ts';
import { endSession } from './sessions/end-session.ts';
import { makeSignInKey } from './sessions/make-sign-in-key.ts';
import { recordFailedSignIns } from './sessions/record-failed-sign-ins.ts';
import { setOwnPassword } from './sessions/set-own-password.ts';
import { endOwnSession } from './sessions/sign-out.ts';
import { createToken } from './tokens/create-token.ts';
import { revokeConsoleToken } from './tokens/revoke-console-token.ts';
import { rotateToken } from './tokens/rotate-token.ts';

/** The operations and steps that the writer decides for the console. */
export const consoleWrites = {
  'create-audience': createAudience,
  'delete-audience': deleteAudience,
  'edit-audience': editAudience,
  'record-export': recordExport,
  'record-project-export': recordProjectExport,
  'create-console-flag': createConsoleFlag,
  'delete-flag': deleteFlag,
  'edit-flag': editFlag,
  'edit-member': editMember,
  'edit-organisation': editOrganisation,
  'invite-member': inviteMember,
  'make-sign-in-link': makeSignInLink,
  'remove-member': removeMember,
  'withdraw-invitation': withdrawInvitation,
  'create-environment': createEnvironment,
  'create-project': createProject,
  'delete-environment': deleteEnvironment,
  'edit-environment': editEnvironment,
  'edit-project': editProject,
  'begin-open-id-session': beginOpenIdSession,
  'begin-session-by-password': beginSessionByPassword,
  'consume-link': consumeLink,
  'edit-own-name': editOwnName,
  'end-session': endSession,
  'make-sign-in-key': makeSignInKey,
  'record-failed-sign-ins': recordFailedSignIns,
  'set-own-password': setOwnPassword,
  'end-own-session': endOwnSession,
  'create-token': createToken,
  'revoke-console-token': revokeConsoleToken,
  'rotate-token': rotateToken,
} as const;
