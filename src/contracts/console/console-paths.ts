/** Where an operation is asked for. */
export interface ConsolePath {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/console/api`; `{name}` is a parameter of the path. */
  readonly path: string;
}

/** Every endpoint of the console's API by its id. Without schemas, so that it can be part of the web app. */
export const consolePaths = {
  'read-session': { method: 'get', path: '/session' },
  'sign-in': { method: 'post', path: '/session' },
  'sign-out': { method: 'delete', path: '/session' },
  'list-sessions': { method: 'get', path: '/sessions' },
  'end-session': { method: 'delete', path: '/sessions/{sessionId}' },
  'change-password': { method: 'post', path: '/password' },
  'inspect-link': { method: 'post', path: '/link' },
  'use-link': { method: 'post', path: '/link/use' },
  'start-open-id': { method: 'post', path: '/openid/start' },
  'finish-open-id': { method: 'get', path: '/openid/callback' },
  'read-organisation': { method: 'get', path: '/organisation' },
  'edit-organisation': { method: 'patch', path: '/organisation' },
  'read-mail-state': { method: 'get', path: '/mail' },
  'list-members': { method: 'get', path: '/members' },
  'edit-member': { method: 'patch', path: '/members/{memberId}' },
  'remove-member': { method: 'delete', path: '/members/{memberId}' },
  'make-sign-in-link': { method: 'post', path: '/members/{memberId}/sign-in-link' },
  'list-invitations': { method: 'get', path: '/invitations' },
  'invite-member': { method: 'post', path: '/invitations' },
  'withdraw-invitation': { method: 'delete', path: '/invitations/{linkId}' },
  'list-projects': { method: 'get', path: '/projects' },
  'create-project': { method: 'post', path: '/projects' },
  'read-project': { method: 'get', path: '/projects/{projectId}' },
  'edit-project': { method: 'patch', path: '/projects/{projectId}' },
  'create-environment': { method: 'post', path: '/projects/{projectId}/environments' },
  'preview-environment': { method: 'get', path: '/projects/{projectId}/environments/{number}/impact' },
  'edit-environment': { method: 'patch', path: '/projects/{projectId}/environments/{number}' },
  'delete-environment': { method: 'delete', path: '/projects/{projectId}/environments/{number}' },
  'watch-organisation': { method: 'get', path: '/events' },
  'watch-project': { method: 'get', path: '/projects/{projectId}/events' },
  'list-console-flags': { method: 'get', path: '/projects/{projectId}/flags' },
  'create-console-flag': { method: 'post', path: '/projects/{projectId}/flags' },
  'read-console-flag': { method: 'get', path: '/projects/{projectId}/flags/{flagId}' },
  'edit-flag': { method: 'patch', path: '/projects/{projectId}/flags/{flagId}' },
  'delete-flag': { method: 'delete', path: '/projects/{projectId}/flags/{flagId}' },
  'try-flag': { method: 'post', path: '/projects/{projectId}/flags/{flagId}/trial' },
  'count-evaluations': { method: 'get', path: '/projects/{projectId}/flags/{flagId}/evaluations' },
  'list-audiences': { method: 'get', path: '/projects/{projectId}/audiences' },
  'create-audience': { method: 'post', path: '/projects/{projectId}/audiences' },
  'read-audience': { method: 'get', path: '/projects/{projectId}/audiences/{audienceId}' },
  'edit-audience': { method: 'patch', path: '/projects/{projectId}/audiences/{audienceId}' },
  'delete-audience': { method: 'delete', path: '/projects/{projectId}/audiences/{audienceId}' },
  'list-tokens': { method: 'get', path: '/projects/{projectId}/tokens' },
  'create-token': { method: 'post', path: '/projects/{projectId}/tokens' },
  'read-token-activity': { method: 'get', path: '/projects/{projectId}/tokens/{tokenId}' },
  'revoke-console-token': { method: 'post', path: '/projects/{projectId}/tokens/{tokenId}/revoke' },
  'rotate-token': { method: 'post', path: '/projects/{projectId}/tokens/{tokenId}/rotate' },
  'list-audit': { method: 'get', path: '/audit' },
  'export-audit': { method: 'get', path: '/audit/export' },
  'list-project-audit': { method: 'get', path: '/projects/{projectId}/audit' },
  'export-project-audit': { method: 'get', path: '/projects/{projectId}/audit/export' },
} as const satisfies Record<string, ConsolePath>;

export type ConsoleOperationId = keyof typeof consolePaths;
