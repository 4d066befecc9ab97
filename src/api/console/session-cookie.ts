import { isSecretText } from '../../domain/token/token-secret.ts';

/** The cookie of a session: out of reach of scripts, and sent by other sites with a followed link at most. */
export interface SessionCookie {
  readonly name: string;
  /** @param values of the Cookie headers, as they came. @returns the first whole secret under the name */
  read(values: readonly string[]): string | null;
  set(secret: string, maxAgeSeconds: number): string;
  clear(): string;
}

/** @param baseUrl behind TLS the cookie goes over TLS alone, and its name makes browsers insist on it. */
export function sessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Secure-burgee_session' : 'burgee_session';
  const attributes = `Path=/console; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
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
