import { isSecretText } from '../../domain/token/token-secret.ts';
import { basePathOf } from '../console-settings.ts';

/** The cookie of a session: not readable by scripts, and sent from other sites only when a link is followed. */
export interface SessionCookie {
  readonly name: string;
  /** @param values of the Cookie headers, as received. @returns the first complete secret under the name */
  read(values: readonly string[]): string | null;
  set(secret: string, maxAgeSeconds: number): string;
  clear(): string;
}

/**
 * @param baseUrl behind TLS the cookie is sent over TLS only. On a host of its own, the cookie's name makes browsers accept
 * it from exactly this host: otherwise a page of a sibling host could plant a session of its own. The name requires the
 * path of the whole host. Below a path, the cookie is not sent to the host's other services.
 */
export function sessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const basePath = basePathOf(baseUrl);
  const isWholeHost = isSecure && basePath === '';
  const prefix = isWholeHost ? '__Host-' : isSecure ? '__Secure-' : '';
  const name = `${prefix}burgee_session`;
  const path = isWholeHost ? '/' : `${basePath}/console`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: (values) => cookieValues(values, name).find(isSecretText) ?? null,
    set: (secret, maxAgeSeconds) => `${name}=${secret}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

/** Every value that was sent under a name. */
export function cookieValues(values: readonly string[], name: string): string[] {
  return values
    .flatMap((value) => value.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
