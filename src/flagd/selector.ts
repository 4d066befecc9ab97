/** The environment that a provider requests. */
export interface Selector {
  readonly projectId: string;
  /** Null: the selector names none. */
  readonly environment: string | null;
  /** The secret of a token, for providers that send no credentials of their own; null for none. Never logged. */
  readonly token: string | null;
}

const tokenPart = 'token=';

/**
 * Reads `{project id}` or `{project id}/{environment}`. `,token={secret}` may follow: flagd separates the parts of a
 * selector by commas.
 * @returns null if the selector is malformed
 */
export function readSelector(text: string): Selector | null {
  const [path = '', ...parts] = text.split(',').map((part) => part.trim());
  const [projectId = '', environment = null, ...rest] = path.split('/');
  const [token = null] = parts;
  if (projectId === '' || environment === '' || rest.length > 0 || parts.length > 1) return null;
  if (token !== null && !token.startsWith(tokenPart)) return null;
  return { projectId, environment, token: token === null ? null : token.slice(tokenPart.length) };
}
