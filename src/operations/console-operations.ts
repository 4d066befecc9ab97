// Generated from the files of operations by scripts/lib/operation-tables.mjs, with each build. Do not edit.
import { createAudience } from './audiences/create-audience.ts';
import { deleteAudience } from './audiences/delete-audience.ts';
import { editAudience } from './audiences/edit-audience.ts';
import { listAudiences } from './audiences/list-audiences.ts';
import { readAudience } from './audiences/read-audience.ts';
import { exportAudit } from './audit/export-audit.ts';
import { exportProjectAudit } from './audit/export-project-audit.ts';
import { listAudit } from './audit/list-audit.ts';
import { listProjectAudit } from './audit/list-project-audit.ts';
import { recordExport, recordProjectExport } from './audit/record-export.ts';
import { listNodes } from './cluster/list-nodes.ts';
import { permitNodes } from './cluster/permit-nodes.ts';
import { countEvaluations } from './flags/count-evaluations.ts';
import { createConsoleFlag } from './flags/create-console-flag.ts';
import { deleteFlag } from './flags/delete-flag.ts';
import { editFlag } from './flags/edit-flag.ts';
import { findName } from './flags/find-name.ts';
import { listConsoleFlags } from './flags/list-console-flags.ts';
import { readConsoleFlag } from './flags/read-console-flag.ts';
import { tryFlag } from './flags/try-flag.ts';
import { editMember } from './organisations/edit-member.ts';
import { editOrganisation } from './organisations/edit-organisation.ts';
import { inviteMember } from './organisations/invite-member.ts';
import { listInvitations } from './organisations/list-invitations.ts';
import { listMemberTokens } from './organisations/list-member-tokens.ts';
import { listMembers } from './organisations/list-members.ts';
import { makeSignInLink } from './organisations/make-sign-in-link.ts';
import { readMailState } from './organisations/read-mail-state.ts';
import { readOrganisation } from './organisations/read-organisation.ts';
import { removeMember } from './organisations/remove-member.ts';
import { withdrawInvitation } from './organisations/withdraw-invitation.ts';
import { createEnvironment } from './projects/create-environment.ts';
import { createProject } from './projects/create-project.ts';
import { deleteEnvironment } from './projects/delete-environment.ts';
import { editEnvironment } from './projects/edit-environment.ts';
import { editProject } from './projects/edit-project.ts';
import { listProjects } from './projects/list-projects.ts';
import { previewEnvironment } from './projects/preview-environment.ts';
import { readProject } from './projects/read-project.ts';
import { searchConsole } from './search/search-console.ts';
import { beginOpenIdSession } from './sessions/begin-open-id-session.ts';
import { beginSessionByPassword } from './sessions/begin-session-by-password.ts';
import { changePassword } from './sessions/change-password.ts';
import { consumeLink } from './sessions/consume-link.ts';
import { editOwnName } from './sessions/edit-own-name.ts';
import { endSession } from './sessions/end-session.ts';
import { findCredentials } from './sessions/find-credentials.ts';
import { findOwnPassword } from './sessions/find-own-password.ts';
import { findPendingSignIn } from './sessions/find-pending-sign-in.ts';
import { findSignInKey } from './sessions/find-sign-in-key.ts';
import { finishOpenId } from './sessions/finish-open-id.ts';
import { inspectLink } from './sessions/inspect-link.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { makeSignInKey } from './sessions/make-sign-in-key.ts';
import { readSession } from './sessions/read-session.ts';
import { recordFailedSignIns } from './sessions/record-failed-sign-ins.ts';
import { setOwnPassword } from './sessions/set-own-password.ts';
import { signIn } from './sessions/sign-in.ts';
import { endOwnSession, signOut } from './sessions/sign-out.ts';
import { startOpenId } from './sessions/start-open-id.ts';
import { useLink } from './sessions/use-link.ts';
import { listSyncStreams, permitSyncStreams } from './sync/list-sync-streams.ts';
import { createToken } from './tokens/create-token.ts';
import { listTokens } from './tokens/list-tokens.ts';
import { readTokenActivity } from './tokens/read-token-activity.ts';
import { revokeConsoleToken } from './tokens/revoke-console-token.ts';
import { rotateToken } from './tokens/rotate-token.ts';
import { lookAtOrganisation, watchOrganisation } from './watching/watch-organisation.ts';
import { lookAtProject, watchProject } from './watching/watch-project.ts';

/** Every operation of the console's API, below `/console/api`. */
export const consoleOperations = {
  'create-audience': createAudience,
  'delete-audience': deleteAudience,
  'edit-audience': editAudience,
  'list-audiences': listAudiences,
  'read-audience': readAudience,
  'export-audit': exportAudit,
  'export-project-audit': exportProjectAudit,
  'list-audit': listAudit,
  'list-project-audit': listProjectAudit,
  'list-nodes': listNodes,
  'count-evaluations': countEvaluations,
  'create-console-flag': createConsoleFlag,
  'delete-flag': deleteFlag,
  'edit-flag': editFlag,
  'find-name': findName,
  'list-console-flags': listConsoleFlags,
  'read-console-flag': readConsoleFlag,
  'try-flag': tryFlag,
  'edit-member': editMember,
  'edit-organisation': editOrganisation,
  'invite-member': inviteMember,
  'list-invitations': listInvitations,
  'list-member-tokens': listMemberTokens,
  'list-members': listMembers,
  'make-sign-in-link': makeSignInLink,
  'read-mail-state': readMailState,
  'read-organisation': readOrganisation,
  'remove-member': removeMember,
  'withdraw-invitation': withdrawInvitation,
  'create-environment': createEnvironment,
  'create-project': createProject,
  'delete-environment': deleteEnvironment,
  'edit-environment': editEnvironment,
  'edit-project': editProject,
  'list-projects': listProjects,
  'preview-environment': previewEnvironment,
  'read-project': readProject,
  'search-console': searchConsole,
  'change-password': changePassword,
  'edit-own-name': editOwnName,
  'end-session': endSession,
  'finish-open-id': finishOpenId,
  'inspect-link': inspectLink,
  'list-sessions': listSessions,
  'read-session': readSession,
  'sign-in': signIn,
  'sign-out': signOut,
  'start-open-id': startOpenId,
  'use-link': useLink,
  'list-sync-streams': listSyncStreams,
  'create-token': createToken,
  'list-tokens': listTokens,
  'read-token-activity': readTokenActivity,
  'revoke-console-token': revokeConsoleToken,
  'rotate-token': rotateToken,
  'watch-organisation': watchOrganisation,
  'watch-project': watchProject,
} as const;

/** The steps of conversations. */
export const consoleSteps = {
  'record-export': recordExport,
  'record-project-export': recordProjectExport,
  'permit-nodes': permitNodes,
  'begin-open-id-session': beginOpenIdSession,
  'begin-session-by-password': beginSessionByPassword,
  'consume-link': consumeLink,
  'find-credentials': findCredentials,
  'find-own-password': findOwnPassword,
  'find-pending-sign-in': findPendingSignIn,
  'find-sign-in-key': findSignInKey,
  'make-sign-in-key': makeSignInKey,
  'record-failed-sign-ins': recordFailedSignIns,
  'set-own-password': setOwnPassword,
  'end-own-session': endOwnSession,
  'permit-sync-streams': permitSyncStreams,
  'look-at-organisation': lookAtOrganisation,
  'look-at-project': lookAtProject,
} as const;
