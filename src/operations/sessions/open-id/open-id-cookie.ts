import { pendingLifetimeMs } from '../../../domain/session/used-sign-in.ts';
import { basePathOf } from '../../console-settings.ts';
import { cookieValues } from '../session-cookie.ts';
import { openIdCallbackPath } from './open-id-protocol.ts';

/** The cookie that keeps a sign-in at the provider, sealed, with the browser that began it; each sign-in has its own. */
export interface OpenIdCookie {
  set(state: string, sealed: string): string;
  clear(state: string): string;
  /** @param values of the Cookie headers, as received */
  read(state: string, values: readonly string[]): readonly string[];
}

/** Enough characters to distinguish the sign-ins of one browser. */
const stateChars = 8;

/**
 * @param baseUrl behind TLS the cookie is sent over TLS only. `Lax`, because the provider's page sends the browser
 * here.
 */
export function openIdCookie(baseUrl: string): OpenIdCookie {
  const isSecure = baseUrl.startsWith('https:');
  const path = `${basePathOf(baseUrl)}${openIdCallbackPath}`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const prefix = isSecure ? '__Secure-burgee_openid_' : 'burgee_openid_';
  const nameOf = (state: string): string => prefix + state.slice(0, stateChars);
  return {
    set: (state, sealed) => `${nameOf(state)}=${sealed}; Max-Age=${pendingLifetimeMs / 1000}; ${attributes}`,
    clear: (state) => `${nameOf(state)}=; Max-Age=0; ${attributes}`,
    read: (state, values) => cookieValues(values, nameOf(state)),
  };
}
