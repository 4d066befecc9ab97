import { isSecretText } from '../../../domain/token/token-secret.ts';
import { cookieValues } from '../session-cookie.ts';
import { openIdCallbackPath } from './open-id-protocol.ts';
import { pendingLifetimeMs } from './pending-sign-ins.ts';

/** The cookie that binds a sign-in at the provider to the browser that began it; each sign-in has its own. */
export interface OpenIdCookie {
  set(state: string, secret: string): string;
  clear(state: string): string;
  /** @param values of the Cookie headers, as received */
  read(state: string, values: readonly string[]): string | null;
}

/** Enough characters to distinguish the sign-ins of one browser. */
const stateChars = 8;

/**
 * @param baseUrl behind TLS the cookie is sent over TLS only. `Lax`, because the provider's page sends the browser
 * here.
 */
export function openIdCookie(baseUrl: string): OpenIdCookie {
  const isSecure = baseUrl.startsWith('https:');
  const path = openIdCallbackPath;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const prefix = isSecure ? '__Secure-burgee_openid_' : 'burgee_openid_';
  const nameOf = (state: string): string => prefix + state.slice(0, stateChars);
  return {
    set: (state, secret) => `${nameOf(state)}=${secret}; Max-Age=${pendingLifetimeMs / 1000}; ${attributes}`,
    clear: (state) => `${nameOf(state)}=; Max-Age=0; ${attributes}`,
    read: (state, values) => cookieValues(values, nameOf(state)).find(isSecretText) ?? null,
  };
}
