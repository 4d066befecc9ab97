import { setTimeout as wait } from 'node:timers/promises';
import type { ServerElsewhere } from '../scenario.ts';

/** A flag to create on a server elsewhere, as the Management API takes it. */
export interface FlagToCreate {
  readonly name: string;
  readonly enabled?: boolean;
  readonly trafficPercentage?: number;
  readonly cohorts?: readonly string[];
}

/** How many times in a row a request is repeated that the server's rate limit refused (600 a minute by default). */
const waitsMax = 5;

/**
 * Ensures that a project has these flags. Flags that exist by name are used unchanged; the others are created.
 *
 * @returns ids by name
 */
export async function ensureFlags(
  server: ServerElsewhere,
  flags: readonly FlagToCreate[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map((await listFlags(server)).map(({ name, id }) => [name, id]));
  const made: string[] = [];
  for (const flag of flags) {
    if (ids.has(flag.name)) continue;
    const created = (await manage(server, 'POST', flag)) as { readonly id: string };
    ids.set(flag.name, created.id);
    made.push(flag.name);
  }
  // A token cannot delete a flag.
  if (made.length > 0)
    console.error(
      `Made ${made.length} flags for the benchmark, from ${made[0]} on: delete them in the console.`,
    );
  return ids;
}

/** Lists every flag of the project. */
export async function listFlags(
  server: ServerElsewhere,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { flags } = (await manage(server, 'GET')) as { readonly flags: { id: string; name: string }[] };
  return flags;
}

async function manage(server: ServerElsewhere, method: 'GET' | 'POST', body?: unknown): Promise<unknown> {
  for (let waits = 0; ; waits += 1) {
    const response = await fetch(`${server.origin}/api/v1/flags`, {
      method,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    const text = await response.text();
    const retryAfterSeconds = Number(response.headers.get('retry-after'));
    if (response.status !== 429 || waits === waitsMax || !(retryAfterSeconds > 0)) {
      throw new Error(`${method} ${server.origin}/api/v1/flags answered ${response.status}: ${text}`);
    }
    await wait(retryAfterSeconds * 1000);
  }
}
