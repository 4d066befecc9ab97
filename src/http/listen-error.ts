/** The address cannot be listened on; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export function describeRefusedListen(host: string, port: number): string {
  return `cannot listen on ${host}:${port}: another process uses this port, or the address is not one of this machine's. Stop the other process, or choose another port with --port N (BURGEE_PORT) or address with --host H (BURGEE_HOST).`;
}
