/*
 * Kubernetes gives every container variables for the services of its namespace. A service called `burgee` yields
 * BURGEE_SERVICE_HOST, BURGEE_PORT=tcp://…, BURGEE_PORT_8080_TCP_ADDR and so on, which nobody meant as settings.
 */
const hostAndPort = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/;
const portParts = /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const linkValue = /^(tcp|udp|sctp):\/\//;

/** @returns whether a variable that is no setting comes from Kubernetes' service links. */
export function isServiceLink(name: string, value: string): boolean {
  return hostAndPort.test(name) || portParts.test(name) || (name.endsWith('_PORT') && linkValue.test(value));
}

/** @returns what to do about a setting whose value is a service link (BURGEE_PORT=tcp://10.0.0.1:8080), or null. */
export function serviceLinkHint(value: string): string | null {
  if (!linkValue.test(value)) return null;
  return 'this is a Kubernetes service link: set enableServiceLinks: false in the pod, or rename the service';
}
