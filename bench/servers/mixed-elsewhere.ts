import type { ServerElsewhere } from '../scenario.ts';
import { mixedState } from './flag-fixtures.ts';
import { ensureFlags } from './flags-elsewhere.ts';
import type { AskedFlag } from './mixed-requests.ts';

/** Fewer flags than a server's rate limit allows to create in a minute. */
export const flagsElsewhere = 500;

/**
 * Ensures that a server elsewhere has the flags of the mix, in one project without environments. They have no
 * audiences, because the Management API cannot create one.
 *
 * @returns a function that finds a flag by popularity
 */
export async function ensureMixElsewhere(
  server: ServerElsewhere,
  count: number,
): Promise<(index: number) => AskedFlag> {
  const names = Array.from({ length: count }, (_unused, index) => `bench-mixed-${index}`);
  const flags = names.map((name, index) => {
    const { audience: _notThere, ...state } = mixedState(index);
    return { name, ...state };
  });
  const ids = await ensureFlags(server, flags);
  return (index) => ({ id: ids.get(names[index] ?? '') ?? '', environment: null });
}
