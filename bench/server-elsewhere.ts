import type { ServerElsewhere } from './scenario.ts';

const timeoutMs = 10_000;

interface TokenAnswer {
  readonly project: { readonly id: string };
  readonly permission: string;
}

/**
 * Asks a running server for a token's permission and project.
 *
 * @throws Error when it does not answer as Burgee does, or the token may not write
 */
export async function findServerElsewhere(origin: string, token: string): Promise<ServerElsewhere> {
  const { project, permission } = await askForToken(origin, token);
  if (permission !== 'write')
    throw new Error(`the token may only ${permission}: make one with permission write, to create flags with`);
  await checkProject(origin, token);
  return { origin, token, projectId: project.id };
}

/** @throws Error unless the flags of the token's project have one state each, as the scenarios create them */
async function checkProject(origin: string, token: string): Promise<void> {
  const response = await fetch(`${origin}/api/v1/flags?dryRun=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'bench', enabled: true }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.ok) return;
  const text = (await response.text()).slice(0, 300);
  throw new Error(`the token must be of a project without environments. A create was answered ${text}`);
}

async function askForToken(origin: string, token: string): Promise<TokenAnswer> {
  const address = `${origin}/api/v1/token`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (fault: Error) => {
      const { cause } = fault;
      throw new Error(
        `${address} cannot be reached: ${cause instanceof Error ? cause.message : fault.message}`,
      );
    },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${address} answered ${response.status}: ${text.slice(0, 300)}`);
  const answer = parseJson(text);
  if (!isTokenAnswer(answer)) throw new Error(`${address} does not answer as Burgee does`);
  return answer;
}

/** Validated by hand, because loading a schema package would take most of the command's start-up time. */
function isTokenAnswer(value: unknown): value is TokenAnswer {
  const { project, permission } = (value ?? {}) as { readonly [Key in keyof TokenAnswer]?: unknown };
  const { id } = (project ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' && typeof permission === 'string';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
