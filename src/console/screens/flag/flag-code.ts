interface CodePlace {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly flagId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
}

/** Environment names need no escape: they are `a-z 0-9 - _ .` (decisions). */
export function curlCode({ baseUrl, flagId, environment }: CodePlace): string {
  const env = environment === null ? '' : `env=${environment}&`;
  return `curl '${baseUrl}/v1/flags/${flagId}?${env}targetingKey=user-42'`;
}

export function javaScriptCode({ baseUrl, flagId, environment }: CodePlace): string {
  const env = environment === null ? '' : `env=${environment}&`;
  return `// A stable id of the caller: the same key always gets the same answer.
async function isEnabled(targetingKey) {
  const query = \`${env}targetingKey=\${encodeURIComponent(targetingKey)}\`;
  const response = await fetch(\`${baseUrl}/v1/flags/${flagId}?\${query}\`);
  if (!response.ok) return false; // What to do without an answer is yours to decide.
  const { enabled } = await response.json();
  return enabled;
}`;
}
