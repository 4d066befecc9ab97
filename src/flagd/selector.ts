/** What a provider asks for. */
export interface Selector {
  readonly projectId: string;
  /** Null: it names none. */
  readonly environment: string | null;
  /** The secret of a token, for providers that send no credentials of their own; null for none. Never logged. */
  readonly token: string | null;
}

const tokenPart = 'token=';

/**
 * Reads `{project id}` or `{project id}/{environment}`, in either case with `,token={secret}` after it: flagd's selectors
 * have parts that are separated by commas.
 * @returns null when it is neither
 */
export function readSelector(text: string): Selector | null {
  const [place = '', ...parts] = text.split(',').map((part) => part.trim());
  const [projectId = '', environment = null, ...rest] = place.split('/');
  const [token = null] = parts;
  if (projectId === '' || environment === '' || rest.length > 0 || parts.length > 1) return null;
  if (token !== null && !token.startsWith(tokenPart)) return null;
  return { projectId, environment, token: token === null ? null : token.slice(tokenPart.length) };
}
