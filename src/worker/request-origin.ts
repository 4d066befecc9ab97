import type { RequestView } from '../http/request-view.ts';

/** The header that only a script of the same origin can add: another site would have to ask first, and is refused. */
const proofHeader = 'x-burgee-console';
export const foreignOrigin =
  'Changes come from the console itself: send them with the header X-Burgee-Console: 1 from the address that base-url names. If this is your console, set base-url to the address in the browser.';

/**
 * Whether a request that may change something was made by the console in this browser, and not by another site on the
 * member's behalf. Behind TLS it must come from the base URL's origin. Without TLS the address in the browser may have
 * another name than the base URL (a machine has many): there the origin's host must be the one that was asked.
 */
export function isOwnOrigin(view: RequestView, baseUrl: string): boolean {
  if (view.header(proofHeader) !== '1') return false;
  const site = view.header('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return false;
  const origin = view.header('origin');
  if (origin === '') return site === 'same-origin';
  const own = new URL(baseUrl).origin;
  if (origin === own) return true;
  return own.startsWith('http:') && origin === `http://${view.header('host').toLowerCase()}`;
}
