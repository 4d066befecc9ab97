import type { ServerElsewhere } from '../scenario.ts';
import { mixedState } from './flag-fixtures.ts';
import { ensureFlags } from './flags-elsewhere.ts';
import type { AskedFlag } from './mixed-requests.ts';

/** As many as the rate limit of a server lets be created in a minute, and some to spare. */
export const flagsElsewhere = 500;

/**
 * Sees to it that a server elsewhere has the flags of the mix: in one project without environments, and without
 * audiences, because the Management API makes none.
 *
 * @returns finds them by popularity
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
