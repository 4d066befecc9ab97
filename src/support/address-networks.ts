/**
 * Networks that may belong to one client. A provider delegates a /56 to a home and a /48 to a site, so an IPv6 client
 * has thousands of /64. But a /48 may also have many clients, so a wider network has a larger limit.
 */
export const widerNetworks = [
  { hexDigits: 14, ending: '/56', times: 4 },
  { hexDigits: 12, ending: '/48', times: 16 },
] as const;
const keyEnding = '/64';

/**
 * @param limitKey of an address: an IPv4 address, or the /64 of an IPv6 one
 * @returns the keys of `widerNetworks` around it; none for an IPv4 address
 */
export function widerKeys(limitKey: string): readonly string[] {
  if (!limitKey.endsWith(keyEnding)) return [];
  return widerNetworks.map(({ hexDigits, ending }) => `${limitKey.slice(0, hexDigits)}${ending}`);
}

/** @returns the widest network that may belong to one client: an IPv4 address itself */
export function widestNetwork(limitKey: string): string {
  return widerKeys(limitKey).at(-1) ?? limitKey;
}
