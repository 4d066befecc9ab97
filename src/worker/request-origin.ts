import type { RequestView } from '../http/request-view.ts';

/** A header that only a script of the same origin can add: for another site the browser asks first, and is refused. */
const proofHeader = 'x-burgee-console';
export const foreignOrigin =
  'Only the console itself may make changes: send them with the header X-Burgee-Console: 1 from the origin of base-url. If this is your console, set base-url to the address in the browser.';

/**
 * Whether a request that may change something was made by the console in this browser, and not by another site on the
 * member's behalf. Behind TLS its origin must be that of the base URL. Without TLS the browser's address may have
 * another name than the base URL (a machine has many): there the host of the origin must be the requested host.
 */
export function isOwnOrigin(view: RequestView, ownOrigin: string): boolean {
  if (view.header(proofHeader) !== '1') return false;
  const site = view.header('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return false;
  const origin = view.header('origin');
  if (origin === '') return site === 'same-origin';
  if (origin === ownOrigin) return true;
  return ownOrigin.startsWith('http:') && origin === `http://${view.header('host').toLowerCase()}`;
}
