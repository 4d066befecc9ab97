/** The server cannot listen on the address; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const flags = {
  public: { port: '--port N (BURGEE_PORT)', host: '--host H (BURGEE_HOST)' },
  admin: { port: '--admin-port N (BURGEE_ADMIN_PORT)', host: '--admin-host H (BURGEE_ADMIN_HOST)' },
  flagdSync: {
    port: '--flagd-sync-port N (BURGEE_FLAGD_SYNC_PORT)',
    host: '--flagd-sync-host H (BURGEE_FLAGD_SYNC_HOST)',
  },
} as const;

export function describeRefusedListen(
  host: string,
  port: number,
  listener: keyof typeof flags = 'public',
): string {
  const which = flags[listener];
  return `cannot listen on ${host}:${port}: another process uses this port, or the address is not one of this machine's. Stop the other process, or choose another port with ${which.port} or address with ${which.host}.`;
}
