import type { ServerElsewhere } from '../scenario.ts';
import { mixedState } from './flag-fixtures.ts';
import { ensureFlags } from './flags-elsewhere.ts';
import type { AskedFlag } from './mixed-requests.ts';

/** Below the number of flags that a server's rate limit allows to be created in a minute. */
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
  const wanted = names.map((name, index) => {
    const { audience: _notThere, ...state } = mixedState(index);
    return { name, ...state };
  });
  const ids = await ensureFlags(server, wanted);
  return (index) => ({ id: ids.get(names[index] ?? '') ?? '', environment: null });
}
