import type { FlagPage, FlagRow, StateKind } from '../../contracts/console/flag-views.ts';
import { call } from './call.ts';

/** A flag of the list. The keys of `states` are environment numbers as decimals. */
export interface FlagWithStates extends Omit<FlagRow, 'states'> {
  readonly states: Readonly<Record<string, StateKind>>;
}

/** The most that the service gives at once. */
const pageFlags = '1000';

/** Reads every flag of a project, page by page. */
export async function readFlags(
  projectId: string,
  signal: AbortSignal,
): Promise<{ readonly flags: readonly FlagWithStates[] }> {
  const flags: FlagWithStates[] = [];
  let after: string | null = null;
  do {
    const query = after === null ? { limit: pageFlags } : { limit: pageFlags, after };
    const page: FlagPage = await call('list-console-flags', { projectId }, null, { query, signal });
    for (const row of page.flags) flags.push(listed(row, page));
    after = page.next;
  } while (after !== null);
  return { flags };
}

function listed(row: FlagRow, { environments, kinds }: FlagPage): FlagWithStates {
  const states = environments.flatMap((number, index) => {
    const kind = kinds[row.states[index] ?? -1];
    return kind === undefined ? [] : [[number, kind] as const];
  });
  return { ...row, states: Object.fromEntries(states) };
}
