import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ServerElsewhere } from './scenario.ts';

const timeoutMs = 10_000;
const TokenAnswer = Type.Object({
  project: Type.Object({ id: Type.String() }),
  permission: Type.String(),
});

/**
 * Asks a server that somebody else started what a token may do.
 *
 * @throws Error when it does not answer like a Burgee, or the token may not write
 */
export async function findServerElsewhere(origin: string, token: string): Promise<ServerElsewhere> {
  const { project, permission } = await askForToken(origin, token);
  if (permission !== 'write')
    throw new Error(`the token may only ${permission}: make one with permission write, to create flags with`);
  return { origin, token, projectId: project.id };
}

async function askForToken(origin: string, token: string): Promise<Static<typeof TokenAnswer>> {
  const address = `${origin}/api/v1/token`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (fault: Error) => {
      const { cause } = fault;
      throw new Error(
        `${address} cannot be asked: ${cause instanceof Error ? cause.message : fault.message}`,
      );
    },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${address} answered ${response.status}: ${text.slice(0, 300)}`);
  const answer = parseJson(text);
  if (!Value.Check(TokenAnswer, answer)) throw new Error(`${address} does not answer as Burgee does`);
  return answer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
